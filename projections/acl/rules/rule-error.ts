/** A refused rule text. `line` and `column` count from 1 and point at the cause. */
export class RuleError extends Error {
  override readonly name = 'RuleError'

  constructor(
    message: string,
    readonly line: number,
    readonly column: number,
    /** For a text that is not HCL or JSON: the message without its prefix, as the translation of rules reports it. */
    readonly syntax: string | null = null
  ) {
    super(message)
  }

  static ofSyntax(what: string, line: number, column: number): RuleError {
    const syntax = `At ${line}:${column}: ${what}`
    return new RuleError(`Failed to parse ACL rules: ${syntax}`, line, column, syntax)
  }
}
