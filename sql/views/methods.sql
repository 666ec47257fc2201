-- Names of methods from the CSV files that pipelines name as names.methods: one row per method. The
-- newest run's file wins.
--
-- example: SELECT name FROM methods WHERE method_id = '0xa9059cbb'
-- column: method_id | First four bytes of a call, as 0x and eight digits
-- column: name | Its name, as the file says
CREATE VIEW methods AS SELECT method_id, name FROM lake.methods;
