-- Doctor visits by insurance plan, of the patients of three hospitals from 40 years on.
CREATE TABLE alice.patients (
    plan   ENUM ('basic', 'half', 'full') NOT NULL,
    age    INT CHECK (age BETWEEN 0 AND 120),
    visits INT NOT NULL CHECK (visits BETWEEN 0 AND 100)
) WITH (max_rows = 100000);
CREATE TABLE bob.patients (LIKE alice.patients);
CREATE TABLE carol.patients (LIKE alice.patients);

SET min_rows = 20;
GRANT SELECT ON result TO public;

SELECT plan, count(*) AS patients, sum(visits) AS visits, max(visits) AS most
FROM patients
WHERE age >= 40
GROUP BY plan
ORDER BY plan;
