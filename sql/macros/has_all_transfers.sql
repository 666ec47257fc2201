-- Whether the range of complete_ranges that begins at first_block holds all transfers of a token,
-- in and out: those of its standard, or of the token alone.
CREATE MACRO has_all_transfers(followed, token, standard, first_block) AS coalesce(
  (followed, 'token_standard=' || standard, first_block)
    IN (SELECT (followed_address, scope, from_block) FROM known.token_ranges)
  OR (followed, 'token_address=' || token || '&token_standard=' || standard, first_block)
    IN (SELECT (followed_address, scope, from_block) FROM known.token_ranges),
  false
);
