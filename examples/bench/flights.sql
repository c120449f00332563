-- How late planes of each decade are: the query of python/examples/flights.py.
SET name = 'old planes';
SET fraction = 8;
SET min_rows = 100;
CREATE TABLE airline.flights (
    tailnum   TEXT,
    dep_delay INT CHECK (dep_delay BETWEEN -100 AND 1500)
) WITH (max_rows = 400000);
CREATE TABLE maker.planes (
    tailnum TEXT PRIMARY KEY,
    year    INT CHECK (year BETWEEN 1940 AND 2019)
) WITH (max_rows = 4096);
CREATE ROLE authority;
GRANT SELECT ON result TO airline, maker;
WITH built AS (SELECT tailnum, year // 10 AS decade FROM maker.planes WHERE year IS NOT NULL)
SELECT b.decade * 10 AS decade, count(*) AS flights, avg(f.dep_delay) AS delay
FROM airline.flights f JOIN built b ON f.tailnum = b.tailnum
WHERE f.dep_delay IS NOT NULL
GROUP BY b.decade
ORDER BY decade;
