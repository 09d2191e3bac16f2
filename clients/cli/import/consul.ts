import { recovery } from '../../../events/errors.js'
import { RequestRefused } from '../../typescript/failures.js'
import { Failed, UsageError } from '../console.js'
import { withProgress } from '../terminal.js'
import { remoteCommand, group } from '../remote/command.js'
import { connectionOf } from '../remote/connection-options.js'
import { on, text, texts, type FlagDefinitions, type FlagValues } from '../remote/flags.js'
import { readExport } from '../kv/transfer.js'
import { authMethods, bindingRules, policies, roles, tokens } from './acl-kinds.js'
import { importKind, type ImportRun, readSource, type Kind } from './import-run.js'
import {
  catalog,
  configEntries,
  keys,
  keyResource,
  namespaceDefaults,
  namespaces,
  namespacesOf,
  queries
} from './other-kinds.js'
import { Reader } from './reader.js'
import { ImportReport } from './report.js'

/** Written in this order, so that references exist. */
const KINDS: readonly Kind[] = [
  namespaces,
  policies,
  roles,
  namespaceDefaults,
  authMethods,
  bindingRules,
  tokens,
  configEntries,
  queries,
  keys,
  catalog
]

const kindNames = KINDS.map(({ name }) => name)

const chosen = (only: readonly string[]): readonly Kind[] =>
  KINDS.filter(({ name, isByChoice }) => (only.length === 0 ? !isByChoice : only.includes(name)))

const flags = {
  addr: text('address', 'server to import from', { also: ['from'] }),
  fromToken: text('secret', 'token for that server; it shows secrets to tokens with acl:write'),
  fromTokenFile: text('file', 'file with the token'),
  fromCaFile: text('file', 'CA certificates of that server'),
  fromKvExport: text(
    'file',
    'import the output of `consul kv export` instead of a server; - for standard input'
  ),
  only: texts('kind', `only these kinds: ${kindNames.join(', ')}; node only if named here`, {
    choices: kindNames
  }),
  overwrite: on('overwrite resources that differ'),
  dryRun: on('write nothing, and report what would be written and what cannot be imported')
} satisfies FlagDefinitions

/** @throws UsageError */
const sourceOf = async (input: FlagValues<typeof flags>): Promise<Reader> => {
  const { addr, fromToken, fromTokenFile, fromCaFile } = input
  if (addr === undefined) throw new UsageError('--addr says which server is imported from')
  const source = { httpAddr: addr, token: fromToken, tokenFile: fromTokenFile, caFile: fromCaFile }
  // The environment describes the target server only.
  const connection = await connectionOf(source, {})
  const { token } = connection
  return new Reader(connection, token === undefined ? {} : { 'X-Consul-Token': token })
}

/** Returns `default` alone if the server refuses the list. @throws Unreachable */
const readNamespaces = (reader: Reader, report: ImportReport): Promise<readonly string[]> =>
  namespacesOf(reader).catch(
    recovery(RequestRefused, ({ message }) => {
      report.unread('namespace', 'default', `cannot be read: ${message}`)
      return ['default']
    })
  )

const importConsul = remoteCommand({
  summary:
    'Import policies, roles, tokens, auth methods, binding rules, keys, queries and configuration entries.',
  about:
    'Reads from the server of --addr and writes to that of --http-addr. Identical resources are skipped, so you can repeat the command to\ncontinue an incomplete import. docs/how-to/move-from-consul.md lists what cannot be imported.\nExit codes: 0 for a complete import, 1 if resources were skipped or may be missing, 2 if a server cannot be reached.',
  examples: [
    'annals import consul --addr=https://consul.example:8501 --from-token-file=consul.token --dry-run',
    'annals import consul --addr=10.0.0.5:8500 --from-token-file=consul.token --only=key --only=config-entry',
    'annals import consul --from-kv-export=all.json'
  ],
  flags,
  run: async ({ connection, send, out, console, flags: input }) => {
    const { fromKvExport, only, overwrite, dryRun } = input
    if (fromKvExport !== undefined && (input.addr !== undefined || only.length > 0))
      throw new UsageError('--from-kv-export is a file of keys: --addr and --only are for a server')
    const report = new ImportReport(dryRun)
    const progress: ImportRun['progress'] = (unit, total, use) =>
      withProgress(console, { task: 'importing', total, unit }, use)
    /** Prints the report even if the import fails. */
    const printing = async (use: () => Promise<void>): Promise<void> => {
      try {
        await use()
      } finally {
        out.show(report, all => all.toText())
      }
    }
    const common = {
      target: new Reader(connection),
      send,
      report,
      isDryRun: dryRun,
      overwrites: overwrite,
      progress
    }
    if (fromKvExport === undefined) {
      const reader = await sourceOf(input)
      const source: ImportRun['source'] = (kind, namespace) => readSource(kind, reader.in(namespace))
      await printing(async () => {
        const all = await readNamespaces(reader, report)
        for (const kind of chosen(only))
          for (const namespace of kind.isNamespaced ? all : ['default'])
            await importKind({ ...common, source, kind, namespace })
      })
    } else {
      const exported = await readExport(fromKvExport === '-' ? '-' : `@${fromKvExport}`, console)
      const resources = exported.map(({ key, flags: of, value }) => keyResource(key, of, value))
      const source = async () => ({ resources, gaps: [] })
      const { namespace = 'default' } = connection
      await printing(() => importKind({ ...common, source, kind: keys, namespace }))
    }
    if (!report.isComplete) throw new Failed('not everything was imported: the report tells what, and why')
  }
})

export const importing = group({
  summary: 'Import the resources of a Consul server.',
  examples: ['annals import consul --addr=10.0.0.5:8500 --from-token-file=consul.token --dry-run'],
  commands: { consul: importConsul }
})
