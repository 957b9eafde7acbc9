-- Uses are looked up by the place of a memory, whose columns have the collation "C": an index of another one is not used.

ALTER TABLE holdfast.use
  ALTER kind TYPE text COLLATE "C", ALTER owner TYPE text COLLATE "C", ALTER key TYPE text COLLATE "C";
