-- Which of several rows of one record is believed first, as a number: the lowest. A complete list
-- comes before others, then the endpoint that serves most of the dataset (by transaction, by
-- address, of all), then what was read last.
CREATE MACRO precedence(status_rank, endpoint_rank, fetched_at) AS
  (status_rank * 10000 + endpoint_rank) * 4398046511104 - epoch_ms(fetched_at);
