-- Joins two tables by a key of 31 bits that nobody sees, and sums what they have together.
CREATE TABLE alice.people (
    id    INT PRIMARY KEY CHECK (id BETWEEN 0 AND 2147483647),
    group_ TINYINT NOT NULL CHECK (group_ BETWEEN 0 AND 9)
) WITH (max_rows = 10000000);
CREATE TABLE bob.sales (
    person INT NOT NULL CHECK (person BETWEEN 0 AND 2147483647),
    cents  INT NOT NULL CHECK (cents BETWEEN 0 AND 100000)
) WITH (max_rows = 10000000);
CREATE ROLE carol;
GRANT SELECT ON result TO alice;

SELECT p.group_, count(*) AS sales, sum(s.cents) AS cents
FROM bob.sales s JOIN alice.people p ON s.person = p.id
GROUP BY p.group_ ORDER BY p.group_;
