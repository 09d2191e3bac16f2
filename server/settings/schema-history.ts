// The configuration keys of reading what was.
import { choice, section } from './values.js'

export const historyConfig = section({
  rights: choice(
    ['now', 'both'],
    'Whose rights count where `at`, `diff` and histories show what was: those that the token has `now`, or `both` those and the ones that it had then.',
    { default: 'now', reloads: true }
  )
})
