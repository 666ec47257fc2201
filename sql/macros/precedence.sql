-- Which of several rows of one record is believed first, as a number: the lowest. A complete list
-- comes before others, then the endpoint that serves most of the dataset (by transaction, by
-- address, of all), then the newest reading, then the list that comes first.
CREATE MACRO precedence(status_rank, endpoint_rank, fetched_at, list) AS
  ((status_rank * 100 + least(endpoint_rank, 99)) * 4398046511104 - epoch_ms(fetched_at)) * 1000
  + coalesce(list, 0) % 1000;
