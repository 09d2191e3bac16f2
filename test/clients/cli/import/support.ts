import type { CommandExit } from '../../../support/command-line.js'

interface Report {
  readonly Kinds: readonly {
    readonly Kind: string
    readonly Written: number
    readonly Same: number
    readonly Left: number
  }[]
  readonly Exceptions: readonly { readonly Kind: string; readonly Name: string; readonly Why: string }[]
}

/** Returns the report that `annals import consul` printed. */
export const reportOf = ({ output }: CommandExit): Report => JSON.parse(output)
