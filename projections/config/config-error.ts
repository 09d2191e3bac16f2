// What is wrong with a configuration entry, in words for who sent it.

/** Thrown where an entry breaks a rule or stands against others. The text names the field or the entries, and the rule. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Runs checks and keeps what they find, in place of letting the first fault end it. */
export class Faults {
  readonly texts: string[] = []

  readonly check = (run: () => void): void => {
    try {
      run()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      if (!this.texts.includes(error.message)) this.texts.push(error.message)
    }
  }
}
