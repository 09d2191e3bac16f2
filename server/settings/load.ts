// Loads the settings: defaults, agent files, the configuration file, environment and flags; later sources win.
import { messageOf } from '../../events/errors.js'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import * as Type from 'typebox'
import { Value } from 'typebox/value'
import { checkTogether } from './check-together.js'
import { fromFile } from './from-file.js'
import { CONFIG_ENV, fromEnvironment, fromFlags } from './from-text.js'
import { keys } from './keys.js'
import { schema } from './schema.js'
import { checkSettingValue, invalidSettingError, type SettingValue } from './setting-value.js'
import { nodeIdOf } from './node-id.js'
import type { Settings } from './settings.js'
import { KEY, KEY_FORMAT, notesOf } from './values.js'

interface SettingsSources {
  /** Settings of agent files, which all other sources override. */
  readonly agent?: readonly SettingValue[]
  /** Path of the file; `ANNALS_CONFIG` by default. */
  readonly file?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly flags: Readonly<Record<string, string | undefined>>
}

/** Loads frozen settings from these sources, with the contents of key files. @throws SettingsError */
export const loadSettings = ({ agent = [], file, env, flags }: SettingsSources): Settings => {
  const path = file ?? env[CONFIG_ENV]
  const all = [
    ...agent,
    ...(path === undefined || path === '' ? [] : fromFile(path)),
    ...fromEnvironment(env),
    ...fromFlags(flags)
  ]
  const given = new Map(all.map(one => [one.key.path, one]))
  for (const one of all) checkSettingValue(one)
  const settings = decodeSettings(
    new Map([
      ...derivedFrom(given),
      ...[...given].map(([name, { value }]) => [name, value] as const),
      ['data_dir', dataDirOf(given)],
      ...fileContents(given)
    ])
  )
  checkTogether(settings, key => given.get(key)?.source)
  return freeze(settings)
}

type GivenValues = ReadonlyMap<string, SettingValue>

const textOf = (given: GivenValues, path: string, otherwise: string): string => {
  const found = given.get(path)?.value
  return typeof found === 'string' ? found : otherwise
}

const dataDirOf = (given: GivenValues): string => resolve(textOf(given, 'data_dir', './data'))

type Entries = readonly (readonly [path: string, value: unknown])[]

/** Returns the defaults that depend on other values or on the machine. */
const derivedFrom = (given: GivenValues): Entries => {
  const datacenter = textOf(given, 'datacenter', 'dc1')
  const node = textOf(given, 'node_name', hostname())
  const bind = textOf(given, 'bind', '127.0.0.1')
  const id = (): Entries => [['node_id', nodeIdOf(dataDirOf(given), datacenter, node)]]
  const primary = textOf(given, 'primary_datacenter', datacenter)
  return [
    ['primary_datacenter', datacenter],
    ['node_name', node],
    ...(given.has('node_id') ? [] : id()),
    ['addresses.http', bind],
    ['addresses.https', bind],
    ['addresses.dns', bind],
    ['acl.enable_token_replication', hasToken(given.get('datacenters')?.value, primary)]
  ]
}

/** Returns the secrets of the files that the configuration names in place of them. */
const fileContents = (given: GivenValues): Entries => {
  const content = (path: string, read: typeof readSecret): Entries => {
    const file = given.get(`${path}_file`)
    return file === undefined ? [] : [[path, read(file, given.get(path))]]
  }
  return [
    ...['encryption.key', 'signing.key', 'cluster.secret', 'replication.key'].flatMap(path =>
      content(path, readKey)
    ),
    ...content('cluster.etcd.password', readSecret)
  ]
}

const hasToken = (datacenters: unknown, primary: string): boolean =>
  Boolean(Reflect.get(Object(Reflect.get(Object(datacenters), primary)), 'token'))

const readKey = (file: SettingValue, key: SettingValue | undefined): string => {
  const text = readSecret(file, key)
  if (new RegExp(KEY).test(text)) return text
  throw invalidSettingError(file, `name a file that holds ${KEY_FORMAT}`)
}

/** Returns the trimmed content of a file. @param instead a value given directly */
const readSecret = (file: SettingValue, instead: SettingValue | undefined): string => {
  if (instead !== undefined)
    throw invalidSettingError(file, `not be given together with ${instead.key.path}, given ${instead.source}`)
  try {
    const text = readFileSync(String(file.value), 'utf8').trim()
    if (text !== '') return text
  } catch (error) {
    throw invalidSettingError(file, `name a file that can be read (${messageOf(error)})`)
  }
  throw invalidSettingError(file, 'name a file that is not empty')
}

const freeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze)
  return value
}

type Values = ReadonlyMap<string, unknown>

/** @param value satisfies the rule of the key, so only a codec can change it */
const decode = (type: Type.TSchema, value: unknown): unknown =>
  Value.HasCodec(type) ? Value.Decode(type, value) : value

/** By path. Most keys of a server have their default, so they are decoded here, and not at each load. */
const defaults: Values = new Map(
  keys.flatMap(({ path, schema: type, value }) => (value === undefined ? [] : [[path, decode(type, value)]]))
)

/** Returns a section with the values of its keys. Keys without a value are absent. */
function sectionOf<Section extends Type.TObject>(
  section: Section,
  prefix: string,
  values: Values
): Type.StaticDecode<Section>
function sectionOf({ properties }: Type.TObject, prefix: string, values: Values): unknown {
  const section: Record<string, unknown> = {}
  for (const [name, type] of Object.entries(properties)) {
    const path = prefix + name
    const value =
      notesOf(type) === undefined && Type.IsObject(type)
        ? sectionOf(type, `${path}.`, values)
        : values.get(path)
    if (value !== undefined) section[name] = value
  }
  return section
}

/** Decodes values that satisfy the rules of their keys, by path. Other keys have their default. */
const decodeSettings = (values: Values): Type.StaticDecode<typeof schema> => {
  const decoded = new Map(defaults)
  for (const { path, schema: type } of keys)
    if (values.has(path)) decoded.set(path, decode(type, values.get(path)))
  return sectionOf(schema, '', decoded)
}
