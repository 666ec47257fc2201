-- Which of several rows of one record is believed first, as a number: the lowest. A complete list
-- comes before others, then the endpoint that serves most of the dataset (by transaction, by
-- address, of all), then the newest reading, then the list that comes first. One reading may have a
-- record twice, with other values: a hash of these decides, because rows have no order.
CREATE MACRO precedence(status_rank, endpoint_rank, fetched_at, list, values_hash) AS
  (((status_rank * 100 + least(endpoint_rank, 99)) * 4398046511104 - epoch_ms(fetched_at)) * 1000
    + coalesce(list, 0) % 1000) * 18446744073709551616 + values_hash;
