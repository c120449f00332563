-- Counts and sums by a key of 31 bits that nobody sees, of the rows of three parties; the greatest groups are shown.
CREATE TABLE alice.sales (
    person INT NOT NULL CHECK (person BETWEEN 0 AND 2147483647),
    cents  INT NOT NULL CHECK (cents BETWEEN 0 AND 100000)
) WITH (max_rows = 20000000);
CREATE TABLE bob.sales (LIKE alice.sales);
CREATE TABLE carol.sales (LIKE alice.sales);
GRANT SELECT ON result TO alice;

SELECT count(*) AS people, sum(sales) AS sales, max(cents) AS most
FROM (SELECT person, count(*) AS sales, sum(cents) AS cents FROM sales GROUP BY person);
