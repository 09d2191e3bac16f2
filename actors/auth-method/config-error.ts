// The one error that reading the Config of an auth method can end in.

/** A Config was refused; the text names the key and the rule. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
