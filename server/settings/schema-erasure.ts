// The configuration keys of erasure.
import { duration, section } from './values.js'

export const erasureConfig = section({
  secrets_after: duration(
    'The secrets of a token, auth method, query, cursor or check that has ended are erased from the files of the log after this time.',
    { default: '1h' }
  )
})
