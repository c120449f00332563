//! Queries with every operator and each kind of function.

/// What each is of, and the query, behind its settings.
pub const QUERIES: [(&str, &str); 44] = [
    ("filter", "SET max_rows = 4; SELECT person, cost FROM sales WHERE cost > 7 AND paid"),
    ("filter by a list", "SELECT count(*) AS n FROM sales WHERE shop IN ('Bern', 'Zug')"),
    (
        "expressions",
        "SELECT sum(CASE WHEN paid THEN abs(cost) ELSE coalesce(cost, 3) % 7 END) AS a, \
         sum(least(cost, person) * greatest(person, 2)) AS b, sum(sign(cost)) AS c FROM \
         sales",
    ),
    ("quotients", "SELECT avg(cost) AS a, sum(cost) / count(person) AS b FROM sales"),
    ("roots", "SELECT sum(CAST(round(sqrt(cost) * 4) AS INT)) AS a FROM alice.sales"),
    (
        "nulls",
        "SELECT count(cost) AS a, count(*) FILTER (WHERE person IS NULL) AS b, \
         sum(nullif(cost, 50)) AS c FROM sales",
    ),
    (
        "dates",
        "SELECT year(day) AS y, month(day + 40) AS m, count(*) AS n FROM sales GROUP BY y, \
         m ORDER BY n DESC LIMIT 3",
    ),
    (
        "groups of known keys",
        "SELECT shop, paid, count(*) AS n, sum(cost) AS cost FROM sales GROUP BY shop, paid",
    ),
    ("means of known groups", "SELECT shop, avg(cost) AS cost FROM sales GROUP BY shop"),
    ("least and greatest", "SELECT shop, min(cost) AS a, max(cost) AS b FROM sales GROUP BY shop"),
    (
        "groups of unknown keys",
        "SET max_rows = 5; SELECT day, count(*) AS n, sum(cost) AS cost FROM sales GROUP BY \
         day",
    ),
    (
        "all groups of unknown keys",
        "SELECT day, person, max(cost) AS cost FROM sales GROUP BY day, person",
    ),
    ("having", "SELECT shop, sum(cost) AS cost FROM sales GROUP BY shop HAVING count(*) > 2"),
    ("min_rows", "SET min_rows = 3; SELECT shop, count(*) AS n FROM sales GROUP BY shop"),
    (
        "min_rows of unknown keys",
        "SET min_rows = 2; SET max_rows = 4; SELECT day, count(*) AS n FROM sales GROUP BY \
         day",
    ),
    (
        "histogram",
        "SELECT width_bucket(cost, [-20, 0, 20]) AS part, count(*) AS n FROM sales GROUP BY \
         part",
    ),
    ("count distinct", "SELECT count(DISTINCT person) AS a, count(DISTINCT cost) AS b FROM sales"),
    (
        "count distinct by group",
        "SELECT shop, count(DISTINCT person) AS n FROM sales GROUP BY shop",
    ),
    ("arg_max", "SELECT arg_max(person, cost) AS a, arg_min(cost, day) AS b FROM sales"),
    ("arg_max by group", "SELECT shop, arg_max(person, cost) AS who FROM sales GROUP BY shop"),
    (
        "statistics",
        "SELECT var_pop(cost) AS a, bool_and(paid) AS b, any_value(shop) AS c FROM sales",
    ),
    ("median", "SELECT median(cost) AS a, quantile_disc(day, 0.9) AS b FROM sales"),
    ("median by group", "SELECT shop, median(cost) AS cost FROM sales GROUP BY shop"),
    (
        "inner join",
        "SELECT count(*) AS n, sum(p.age) AS age FROM sales s JOIN bob.people p ON s.person \
         = p.id",
    ),
    (
        "left join",
        "SELECT count(*) AS n, count(p.age) AS known, sum(p.age) AS age FROM sales s LEFT \
         JOIN bob.people p ON s.person = p.id",
    ),
    (
        "rows of a join",
        "SET max_rows = 3; SELECT s.cost, p.age FROM alice.sales s JOIN bob.people p ON \
         s.person = p.id",
    ),
    (
        "groups of a join",
        "SELECT s.shop, sum(p.age) AS age FROM alice.sales s JOIN bob.people p ON s.person \
         = p.id GROUP BY s.shop",
    ),
    (
        "semi join",
        "SELECT sum(cost) AS cost FROM sales s SEMI JOIN bob.people p ON s.person = p.id",
    ),
    ("anti join", "SELECT count(*) AS n FROM sales s ANTI JOIN bob.people p ON s.person = p.id"),
    (
        "exists",
        "SELECT count(*) AS n FROM alice.sales s WHERE EXISTS (SELECT 1 FROM bob.cards c \
         WHERE c.person = s.person AND c.points > 3)",
    ),
    (
        "subquery about the row outside",
        "SELECT sum((SELECT max(c.points) FROM bob.cards c WHERE c.person = s.person)) AS a \
         FROM alice.sales s",
    ),
    (
        "max_matches",
        "SET max_matches = 2; SELECT count(*) AS n, sum(c.points) AS points FROM \
         alice.sales s JOIN bob.cards c ON s.person = c.person",
    ),
    (
        "join by texts",
        "SELECT count(*) AS n, sum(p.age) AS age FROM sales s JOIN bob.people p ON s.name = \
         p.name",
    ),
    (
        "groups by texts",
        "SELECT count(*) AS people, max(n) AS most FROM (SELECT name, count(*) AS n FROM \
         sales GROUP BY name)",
    ),
    ("sort", "SELECT cost, day FROM sales ORDER BY cost DESC, day"),
    ("limit", "SELECT person, cost FROM sales ORDER BY cost DESC LIMIT 3"),
    ("distinct", "SET max_rows = 5; SELECT DISTINCT person, paid FROM sales"),
    (
        "union all",
        "SET max_rows = 9; SELECT person FROM alice.sales UNION ALL SELECT id FROM \
         bob.people WHERE age > 30",
    ),
    (
        "intersect",
        "SET max_rows = 4; SELECT person FROM alice.sales INTERSECT SELECT id FROM \
         bob.people",
    ),
    ("except", "SET max_rows = 4; SELECT id FROM bob.people EXCEPT SELECT person FROM alice.sales"),
    (
        "numbers in partitions",
        "SELECT sum(n) AS a, max(r) AS b FROM (SELECT row_number() OVER (PARTITION BY shop \
         ORDER BY cost, day) AS n, rank() OVER (PARTITION BY shop ORDER BY cost) AS r FROM \
         sales)",
    ),
    (
        "neighbours in partitions",
        "SELECT sum(before) AS a FROM (SELECT cost - lag(cost) OVER (PARTITION BY shop \
         ORDER BY day) AS before FROM sales)",
    ),
    (
        "running sums",
        "SELECT max(a) AS a, max(b) AS b FROM (SELECT sum(cost) OVER (PARTITION BY person \
         ORDER BY day) AS a, sum(cost) OVER (ORDER BY day ROWS BETWEEN 2 PRECEDING AND \
         CURRENT ROW) AS b FROM sales)",
    ),
    (
        "whole partitions",
        "SELECT count(*) AS n FROM (SELECT cost, max(cost) OVER (PARTITION BY shop) AS most \
         FROM sales) WHERE cost = most",
    ),
];
