CREATE TABLE alice.visits (id INT PRIMARY KEY, icd TEXT NOT NULL, note VARCHAR(200), plan ENUM('Free','half'), d DATE, v INT) WITH (max_rows=10);
CREATE TABLE bob.visits (LIKE alice.visits);
CREATE TABLE alice.people (mail TEXT UNIQUE, name VARCHAR(40) NOT NULL, k INT NOT NULL) WITH (max_rows=10);
CREATE TABLE bob.people (mail TEXT NOT NULL, name VARCHAR(60) NOT NULL, k INT NOT NULL) WITH (max_rows=10);
CREATE TABLE carol.codes (code TEXT UNIQUE, chapter INT NOT NULL) WITH (max_rows=10);
