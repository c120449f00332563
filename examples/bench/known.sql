-- Counts and sums by a list of four plans, of the rows of two parties.
CREATE TABLE alice.sales (
    plan  ENUM ('a', 'b', 'c', 'd') NOT NULL,
    cents INT NOT NULL CHECK (cents BETWEEN 0 AND 100000)
) WITH (max_rows = 50000000);
CREATE TABLE bob.sales (LIKE alice.sales);
CREATE ROLE carol;
GRANT SELECT ON result TO alice;

SELECT plan, count(*) AS sales, sum(cents) AS cents FROM sales WHERE cents > 100 GROUP BY plan;
