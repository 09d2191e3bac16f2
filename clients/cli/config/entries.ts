// Configuration entries as the commands about them see them.
import { UsageError } from '../console.js'
import { text, type FlagDefinitions } from '../remote/flags.js'
import { definitionTextIn, type Definition } from '../remote/definition.js'

/** An entry is named by its kind and its name. */
export interface Named {
  readonly kind: string
  readonly name: string
}

/** The fixed name of kinds that have only one entry. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['proxy-defaults', 'global'],
  ['mesh', 'mesh']
])

export const naming = {
  kind: text('kind', 'kind of the entry, such as service-router'),
  name: text('name', 'its name')
} satisfies FlagDefinitions

interface Naming {
  readonly kind: string | undefined
  readonly name: string | undefined
}

/** The entry that flags or `KIND/NAME` name. @throws UsageError */
export const namedBy = ({ kind, name }: Naming, entry: string | undefined): Named => {
  if (entry !== undefined && (kind !== undefined || name !== undefined))
    throw new UsageError('an entry is named by KIND/NAME, or by --kind and --name')
  const at = entry?.indexOf('/') ?? -1
  const given =
    entry === undefined ? { kind, name } : at < 0 ? { kind: entry, name: undefined } : split(entry, at)
  if (given.kind === undefined)
    throw new UsageError('an entry is named by KIND/NAME, or by --kind and --name')
  const found = given.name ?? NAMES.get(given.kind)
  if (found === undefined) throw new UsageError(`the name of the ${given.kind} is missing`)
  return { kind: given.kind, name: found }
}

const split = (entry: string, at: number): Named => ({ kind: entry.slice(0, at), name: entry.slice(at + 1) })

/** The entry that a definition is of. @throws UsageError */
export const namedIn = (definition: Definition): Named => {
  const [kind, name] = [definitionTextIn(definition, 'kind'), definitionTextIn(definition, 'name')]
  if (typeof kind !== 'string') throw new UsageError('the entry has no Kind')
  return namedBy({ kind, name: typeof name === 'string' ? name : undefined }, undefined)
}

export const pathOf = ({ kind, name }: Named): string =>
  `/v1/config/${encodeURIComponent(kind)}/${encodeURIComponent(name)}`
