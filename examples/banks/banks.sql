-- Customers of one bank who overdrew an account at another, by segment. Carol's company computes with them, and learns nothing.
CREATE TABLE alice.customers (
    id      INT PRIMARY KEY CHECK (id BETWEEN 1 AND 9999999),
    segment ENUM ('retail', 'business') NOT NULL,
    "limit" DECIMAL(9, 2) NOT NULL CHECK ("limit" BETWEEN 0 AND 100000)
) WITH (max_rows = 100000);
CREATE TABLE bob.accounts (
    customer INT NOT NULL CHECK (customer BETWEEN 1 AND 9999999),
    balance  DECIMAL(9, 2) NOT NULL CHECK (balance BETWEEN -100000 AND 100000),
    opened   DATE CHECK (opened BETWEEN '2020-01-01' AND '2026-12-31')
) WITH (max_rows = 100000);
CREATE ROLE carol;
GRANT SELECT ON result TO alice, bob;

WITH overdrawn AS (
    SELECT customer, count(*) AS accounts, sum(balance) AS owed, min(opened) AS since
    FROM bob.accounts
    WHERE balance < 0
    GROUP BY customer
)
SELECT c.segment, count(*) AS customers, sum(o.accounts) AS accounts, sum(-o.owed) AS owed, min(o.since) AS since,
       count(*) FILTER (WHERE -o.owed > c."limit") AS beyond
FROM alice.customers c JOIN overdrawn o ON c.id = o.customer
GROUP BY c.segment
ORDER BY c.segment;
