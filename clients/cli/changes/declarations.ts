// Declarations in files as changes of a change set.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CONFIG_KINDS } from '../../../events/config-entry.js'
import { CHANGE_KIND_NAMES } from '../../../actors/change-set/change-kind-names.js'
import { readable, UsageError } from '../console.js'

export type Content = Readonly<Record<string, unknown>>

/** A change in the body of `POST /v1/changes`. */
export interface Change {
  readonly Kind: string
  readonly Name: string
  readonly Namespace?: string
  readonly Partition?: string
  readonly Index?: number
  readonly Delete?: true
  readonly Body?: Content
}

/** A declared resource. Secrets of tokens are in other files. */
export interface Declaration {
  readonly change: Change
  /** File with the secret of the token, if it is created. */
  readonly secretFile?: string
  /** File that gets the generated secret of the token. */
  readonly secretSink?: string
}

interface Fields {
  readonly kind: string
  readonly name: string | undefined
  readonly fields: Content
  /** The file of the declaration, for errors. */
  readonly path: string
  /** Paths in declarations are relative to it. */
  readonly folder: string
}

const ENTRY = 'config-entry'

/** The fixed name of kinds that have only one entry. */
export const ONLY_NAMES: Readonly<Record<string, string>> = { 'proxy-defaults': 'global', mesh: 'mesh' }

const isEntryKind = (kind: string): boolean => CONFIG_KINDS.some(one => one === kind)

/** Detects the kinds of change sets and of configuration entries. */
export const isKind = (kind: string): boolean =>
  CHANGE_KIND_NAMES.some(name => name === kind) || isEntryKind(kind)

const textAt = ({ path, kind, name }: Fields, fields: Content, field: string): string | undefined => {
  const value = fields[field]
  if (value === undefined) return undefined
  if (typeof value === 'string') return value
  throw new UsageError(`${path}: ${field} of ${kind} ${name} must be text`)
}

const read = ({ path, folder }: Fields, file: string): Promise<Buffer> =>
  readable(`${path}: ${file}`, readFile(resolve(folder, file)))

/** Returns the text of a field, or of the file after `@`. */
const textOrFile = async (declared: Fields, fields: Content, field: string): Promise<Buffer | undefined> => {
  const text = textAt(declared, fields, field)
  if (text === undefined) return undefined
  return text.startsWith('@') ? read(declared, text.slice(1)) : Buffer.from(text)
}

const keyBody = async (declared: Fields, { Value, ValueBase64, ...fields }: Content): Promise<Content> => {
  if (Value !== undefined && ValueBase64 !== undefined)
    throw new UsageError(`${declared.path}: key ${declared.name} has either Value or ValueBase64`)
  const given = await textOrFile(declared, { Value }, 'Value')
  const base64 = given?.toString('base64') ?? textAt(declared, { ValueBase64 }, 'ValueBase64')
  return { ...fields, ...(base64 ? { Value: base64 } : {}) }
}

const policyBody = async (declared: Fields, fields: Content): Promise<Content> => {
  const rules = await textOrFile(declared, fields, 'Rules')
  return rules === undefined ? fields : { ...fields, Rules: rules.toString() }
}

/** @throws UsageError for a secret in the file */
const tokenParts = (declared: Fields, { secret_file, secret_sink, ...body }: Content) => {
  const { path, name, folder } = declared
  if (Object.keys(body).some(field => field.toLowerCase() === 'secretid'))
    throw new UsageError(`${path}: token ${name} has SecretID: secrets are never in files; use secret_file`)
  const pathAt = (field: string, value: unknown): string | undefined => {
    const text = textAt(declared, { [field]: value }, field)
    return text === undefined ? undefined : resolve(folder, text)
  }
  const secretFile = pathAt('secret_file', secret_file)
  const secretSink = pathAt('secret_sink', secret_sink)
  return {
    body,
    ...(secretFile === undefined ? {} : { secretFile }),
    ...(secretSink === undefined ? {} : { secretSink })
  }
}

const bodyOf = async (
  kind: string,
  declared: Fields,
  fields: Content
): Promise<Omit<Declaration, 'change'> & { readonly body: Content }> => {
  if (kind === 'token') return tokenParts(declared, fields)
  if (kind === 'key') return { body: await keyBody(declared, fields) }
  if (kind === 'policy') return { body: await policyBody(declared, fields) }
  return { body: fields }
}

/** Returns the change of a declaration. @throws UsageError that names the file */
export const declaredChange = async (declared: Fields): Promise<Declaration> => {
  const { path, kind, fields } = declared
  if (!isKind(kind)) throw new UsageError(`${path}: there is no kind ${JSON.stringify(kind)}`)
  const name = declared.name ?? ONLY_NAMES[kind]
  if (name === undefined) throw new UsageError(`${path}: Name of a ${kind} is missing`)
  const { Namespace: _namespace, Partition: _partition, ...content } = fields
  const [Namespace, Partition] = ['Namespace', 'Partition'].map(field => textAt(declared, fields, field))
  const { body, ...secrets } = await bodyOf(kind, { ...declared, name }, content)
  return {
    change: {
      ...(isEntryKind(kind) ? { Kind: ENTRY, Name: `${kind}/${name}` } : { Kind: kind, Name: name }),
      ...(Namespace === undefined ? {} : { Namespace }),
      ...(Partition === undefined ? {} : { Partition }),
      Body: body
    },
    ...secrets
  }
}
