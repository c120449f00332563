-- How many who saw alice's advertisement bought something at bob's shop, and for how much in all. Neither learns who they are.
CREATE TABLE alice.viewers (
    mail TEXT PRIMARY KEY
) WITH (max_rows = 100000);
CREATE TABLE bob.buyers (
    mail  TEXT PRIMARY KEY,
    spent DECIMAL(7, 2) NOT NULL CHECK (spent BETWEEN 0 AND 10000)
) WITH (max_rows = 100000);
GRANT SELECT ON result TO alice, bob;

SELECT count(*) AS buyers, sum(b.spent) AS spent
FROM bob.buyers b JOIN alice.viewers v ON b.mail = v.mail
HAVING count(*) >= 10;
