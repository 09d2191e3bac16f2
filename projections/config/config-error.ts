// What is wrong with a configuration entry, in words for who sent it.

/** An entry breaks a rule or stands against others. The text names the rule, and the field or the entries. */
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
