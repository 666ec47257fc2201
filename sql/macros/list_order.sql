-- Which of several lists is believed first about copies of a record, as a number: the lowest. Lists
-- with a better status come first, then lists with a lower number, then rows without a list.
CREATE MACRO list_order(status_rank, list) AS
  status_rank * 4294967296 + coalesce(list, 4294967295);
