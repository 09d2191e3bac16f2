// What is wrong with a configuration entry, in words for who sent it.

/** Thrown where an entry breaks a rule or stands against others. The text names the field or the entries, and the rule. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
