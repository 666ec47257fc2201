-- Labels of addresses and tokens: one row per address with a label in the CSV files that runs took
-- their addresses from. The newest run's file wins.
--
-- example: SELECT address, label FROM labels ORDER BY label
-- column: address | Address or token contract, in lower case
-- column: label | Its label, as the file says
CREATE VIEW labels AS
SELECT address, label FROM lake.labels;
