CREATE TABLE a.region (r_regionkey INT PRIMARY KEY CHECK (r_regionkey BETWEEN 0 AND 4), r_name ENUM ('AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST') NOT NULL) WITH (max_rows = 5);
CREATE TABLE a.nation (n_nationkey INT PRIMARY KEY CHECK (n_nationkey BETWEEN 0 AND 24), n_regionkey INT NOT NULL CHECK (n_regionkey BETWEEN 0 AND 4)) WITH (max_rows = 25);
CREATE TABLE a.customer (c_custkey INT PRIMARY KEY CHECK (c_custkey BETWEEN 0 AND 150000), c_nationkey INT NOT NULL CHECK (c_nationkey BETWEEN 0 AND 24),
    c_mktsegment ENUM ('AUTOMOBILE', 'BUILDING', 'FURNITURE', 'HOUSEHOLD', 'MACHINERY') NOT NULL, c_acctbal DECIMAL(7, 2) NOT NULL) WITH (max_rows = 1500);
CREATE TABLE b.supplier (s_suppkey INT PRIMARY KEY CHECK (s_suppkey BETWEEN 0 AND 10000), s_nationkey INT NOT NULL CHECK (s_nationkey BETWEEN 0 AND 24)) WITH (max_rows = 100);
CREATE TABLE b.part (p_partkey INT PRIMARY KEY CHECK (p_partkey BETWEEN 0 AND 200000), p_promo BOOLEAN NOT NULL, p_size INT NOT NULL CHECK (p_size BETWEEN 1 AND 50),
    p_brand ENUM ('Brand#12', 'Brand#23', 'Brand#34', 'other') NOT NULL, p_container ENUM ('SM CASE', 'SM BOX', 'MED BAG', 'MED BOX', 'LG CASE', 'LG BOX', 'other') NOT NULL) WITH (max_rows = 2000);
CREATE TABLE c.orders (o_orderkey INT PRIMARY KEY CHECK (o_orderkey BETWEEN 0 AND 6000000), o_custkey INT NOT NULL CHECK (o_custkey BETWEEN 0 AND 150000),
    o_orderdate DATE NOT NULL CHECK (o_orderdate BETWEEN '1992-01-01' AND '1998-12-31'), o_shippriority INT NOT NULL CHECK (o_shippriority BETWEEN 0 AND 1),
    o_orderpriority ENUM ('1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECIFIED', '5-LOW') NOT NULL) WITH (max_rows = 15000);
CREATE TABLE c.lineitem (l_orderkey INT NOT NULL CHECK (l_orderkey BETWEEN 0 AND 6000000), l_partkey INT NOT NULL CHECK (l_partkey BETWEEN 0 AND 200000),
    l_suppkey INT NOT NULL CHECK (l_suppkey BETWEEN 0 AND 10000), l_quantity INT NOT NULL CHECK (l_quantity BETWEEN 1 AND 50),
    l_extendedprice DECIMAL(8, 2) NOT NULL CHECK (l_extendedprice BETWEEN 0 AND 110000), l_discount DECIMAL(3, 2) NOT NULL CHECK (l_discount BETWEEN 0 AND 0.1),
    l_tax DECIMAL(3, 2) NOT NULL CHECK (l_tax BETWEEN 0 AND 0.08), l_returnflag ENUM ('A', 'N', 'R') NOT NULL, l_linestatus ENUM ('F', 'O') NOT NULL,
    l_shipdate DATE NOT NULL CHECK (l_shipdate BETWEEN '1992-01-01' AND '1998-12-31'), l_commitdate DATE NOT NULL CHECK (l_commitdate BETWEEN '1992-01-01' AND '1998-12-31'),
    l_receiptdate DATE NOT NULL CHECK (l_receiptdate BETWEEN '1992-01-01' AND '1998-12-31'), l_shipinstruct ENUM ('DELIVER IN PERSON', 'other') NOT NULL,
    l_shipmode ENUM ('AIR', 'AIR REG', 'MAIL', 'SHIP', 'other') NOT NULL) WITH (max_rows = 61000);
GRANT SELECT ON result TO a;
SET max_rows = 1000;
