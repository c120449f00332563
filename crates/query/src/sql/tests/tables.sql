CREATE TABLE alice.t (id INT PRIMARY KEY, k INT, plan ENUM('free','half','full'), pay DECIMAL(9,2) CHECK (pay BETWEEN 0 AND 1000), x DOUBLE CHECK (x BETWEEN -8 AND 8), d DATE, m BOOLEAN, q INT NOT NULL) WITH (max_rows=10);
CREATE TABLE bob.u (id INT UNIQUE, k INT NOT NULL, plan ENUM('free','half','full') NOT NULL, size ENUM('s','m'), v INT) WITH (max_rows=10);
CREATE TABLE bob.w (a INT, b INT, v INT NOT NULL, UNIQUE (a, b)) WITH (max_rows=10);
