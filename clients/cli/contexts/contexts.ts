// Contexts: named servers in the configuration folder of the user.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode, messageOf } from '../../../events/errors.js'
import { isObject } from '../../../events/values.js'
import { clientVariable, type Environment } from '../../../server/settings/client-variables.js'
import { UsageError } from '../console.js'

const FIELDS = ['httpAddr', 'caFile', 'tokenFile', 'namespace'] as const

/** Defaults of connection flags. Files have absolute paths. */
export type Context = Readonly<Partial<Record<(typeof FIELDS)[number], string>>>

interface Contexts {
  readonly current: string | undefined
  readonly byName: ReadonlyMap<string, Context>
}

/** Returns undefined without a home folder. */
const fileOf = (env: Environment): string | undefined => {
  const home = env['HOME'] || env['USERPROFILE']
  const folder = env['XDG_CONFIG_HOME'] || (home && join(home, '.config'))
  return folder ? join(folder, 'annals', 'contexts.json') : undefined
}

const contextIn = (value: unknown): Context => {
  const fields = isObject(value) ? value : {}
  return Object.fromEntries(
    FIELDS.flatMap(name => (typeof fields[name] === 'string' ? [[name, fields[name]]] : []))
  )
}

/** @throws UsageError for an unreadable file */
export const readContexts = async (env: Environment): Promise<Contexts> => {
  const file = fileOf(env)
  try {
    const stored: unknown = file === undefined ? {} : JSON.parse(await readFile(file, 'utf8'))
    const { current, contexts } = isObject(stored) ? stored : {}
    const all = Object.entries(isObject(contexts) ? contexts : {})
    return {
      current: typeof current === 'string' ? current : undefined,
      byName: new Map(all.map(([name, context]) => [name, contextIn(context)]))
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return { current: undefined, byName: new Map() }
    throw new UsageError(`the contexts in ${file} cannot be read: ${messageOf(error)}`)
  }
}

/** Replaces the file. @throws UsageError without a home folder */
export const writeContexts = async (env: Environment, { current, byName }: Contexts): Promise<void> => {
  const file = fileOf(env)
  if (file === undefined) throw new UsageError('there is no folder for contexts: set HOME or XDG_CONFIG_HOME')
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const text = JSON.stringify({ current, contexts: Object.fromEntries(byName) }, null, 2)
  await writeFile(`${file}.part`, `${text}\n`, { mode: 0o600 })
  await rename(`${file}.part`, file)
}

export interface SelectedContext {
  readonly name: string
  readonly context: Context
  /** Named by --context, and stronger than variables of the environment. */
  readonly isExplicit: boolean
}

interface Addressed {
  readonly context?: string | undefined
  readonly httpAddr?: string | undefined
}

/**
 * Returns the context of a command: that of --context, of ANNALS_CONTEXT, or the current one. An address of a flag or a variable replaces
 * a context as a whole, so that its token never goes to another server.
 * @throws UsageError for an unknown name
 */
export const selectedContext = async (
  { context: named, httpAddr }: Addressed,
  env: Environment
): Promise<SelectedContext | undefined> => {
  if (named !== undefined && httpAddr !== undefined)
    throw new UsageError('--context and --http-addr exclude each other')
  if (named === undefined && (httpAddr ?? clientVariable(env, 'httpAddr')) !== undefined) return undefined
  const { current, byName } = await readContexts(env)
  const name = named ?? clientVariable(env, 'context') ?? current
  if (name === undefined) return undefined
  const context = byName.get(name)
  if (!context) throw new UsageError(`there is no context "${name}": see \`annals context list\``)
  return { name, context, isExplicit: named !== undefined }
}
