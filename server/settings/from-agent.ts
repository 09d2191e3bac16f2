import { isObject } from '../../events/values.js'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Content } from './hcl/read-hcl.js'
import { readConfiguration, readHclFile } from './from-file.js'
import { hasNamedBelow, RENAMED, explainIgnoredKey } from './agent-keys.js'
import type { SettingValue } from './setting-value.js'
import { keyByPath, keys } from './keys.js'

/** A key that has no meaning here. */
interface IgnoredKey {
  readonly path: string
  readonly why: string
}

export interface AgentSettings {
  readonly given: readonly SettingValue[]
  readonly dropped: readonly IgnoredKey[]
}

export const ignoredKeyLines = ({ dropped }: AgentSettings): string =>
  dropped.map(({ path, why }) => `not taken: ${path} (${why})\n`).join('')

/** Agents ignore other files of a folder. */
const ENDING = /\.(hcl|json)$/

/** Returns a file, or the files of a folder in alphabetical order. @throws SettingsError */
const filesAt = (path: string): readonly string[] => {
  const names = readConfiguration(path, () => (statSync(path).isDirectory() ? readdirSync(path) : undefined))
  if (!names) return [path]
  const known = names.filter(name => ENDING.test(name))
  return known.toSorted((one, other) => (one < other ? -1 : 1)).map(name => join(path, name))
}

const contentOf = (path: string): Content => readHclFile(path, 'neither HCL nor JSON')

/** Merges files as an agent does: lists are concatenated, sections merged, and other values replaced. */
const joined = (before: unknown, after: unknown): unknown => {
  if (Array.isArray(before) && Array.isArray(after)) return [...before, ...after]
  if (!isObject(before) || !isObject(after)) return after
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return Object.fromEntries(
    [...names].map(name => [
      name,
      name in before && name in after ? joined(before[name], after[name]) : (after[name] ?? before[name])
    ])
  )
}

/** Yields each key with its value. Known keys are not split further. */
function* leaves(content: Content, prefix = ''): Generator<readonly [path: string, value: unknown]> {
  for (const [name, value] of Object.entries(content)) {
    const path = prefix + name
    const isSection = hasNamedBelow(path) || keys.some(key => key.path.startsWith(`${path}.`))
    if (isSection && isObject(value) && !keyByPath.has(path)) yield* leaves(value, `${path}.`)
    else yield [path, value]
  }
}

/** Reads agent files, of which later ones take precedence. @throws SettingsError */
export const fromAgent = (paths: readonly string[]): AgentSettings => {
  const files = paths.flatMap(filesAt)
  const content = files.map(contentOf).reduce((before, after) => Object(joined(before, after)), {})
  const source = `in the configuration of the agent (${paths.join(', ')})`
  const own = new Map<string, unknown>()
  const renamed = new Map<string, unknown>()
  const dropped: IgnoredKey[] = []
  for (const [path, value] of leaves(content)) {
    if (RENAMED.has(path)) renamed.set(path, value)
    else if (keyByPath.has(path) && path !== 'data_dir') own.set(path, value)
    else dropped.push({ path, why: explainIgnoredKey(path) })
  }
  const found = new Map<string, unknown>(agentDefaults(content))
  for (const [path, { to, convert = (value: unknown) => value }] of RENAMED) {
    if (!renamed.has(path)) continue
    const value = convert(renamed.get(path))
    if (value === undefined) dropped.push({ path, why: `there is no such value of ${to}` })
    else found.set(to, value)
  }
  for (const [path, value] of own) found.set(path, value)
  const given = [...found].flatMap(([path, value]): readonly SettingValue[] => {
    const key = keyByPath.get(path)
    return key ? [{ key, value, source }] : []
  })
  return { given, dropped }
}

/** Defaults of an agent that differ here: without ACLs every request is allowed. */
const agentDefaults = (content: Content): readonly (readonly [string, unknown])[] => [
  ['acl.enabled', content['acl_datacenter'] !== undefined],
  ['acl.default_policy', 'allow']
]
