//! Names that are spelled almost like known ones, for messages about names that nobody knows.

/// The candidate that is spelled almost like `name`.
pub fn similar<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = (name.chars().count() / 3).clamp(1, 3);
    let name: String = name.chars().take(64).collect::<String>().to_lowercase();
    candidates
        .into_iter()
        .filter(|c| c.len().abs_diff(name.len()) <= 3)
        .map(|c| (strsim::osa_distance(&name, &c.to_lowercase()), c))
        .filter(|&(distance, _)| distance <= most)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, c)| c)
}

/// Gives `` ; did you mean `salary`? `` if a candidate is spelled almost like `name`, else the empty string.
pub fn hint<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    similar(name, candidates).map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_names_are_found() {
        assert_eq!(similar("salry", ["level", "salary"]), Some("salary"));
        assert_eq!(similar("Salary", ["level", "salary"]), Some("salary"));
        assert_eq!(similar("x", ["level", "salary"]), None);
        assert_eq!(similar("completely", ["level", "salary"]), None);
        assert_eq!(hint("salry", ["level", "salary"]), "; did you mean `salary`?");
        assert_eq!(hint("x", ["level"]), "");
    }
}
