import { FORM } from '../shapes.ts'

/** The form of the fee of a seller. */
export const FEE_PERCENT = {
  minLength: 1,
  pattern: '^(100(\\.0{1,2})?|[0-9]{1,2}(\\.[0-9]{1,2})?)$',
  [FORM]: 'a decimal number from 0 to 100 with at most 2 decimals, such as 2.5',
}
