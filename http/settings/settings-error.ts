// What is wrong with a configuration, in one line for the one who wrote it.

/** The configuration cannot be used. The message names the key, where it was given, and the rule; never a secret. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}
