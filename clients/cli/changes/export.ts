import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CHANGE_KIND_NAMES, CHANGE_KIND_PLACES } from '../../../actors/change-set/change-kind-names.js'
import { UsageError } from '../console.js'
import { Reader } from '../import/reader.js'
import { namespacesOf } from '../import/other-kinds.js'
import { remoteCommand } from '../remote/command.js'
import { text, texts } from '../remote/flags.js'
import { declarationFiles } from './declared-files.js'
import { exported, type Declared } from './exported-kinds.js'

/** Keys may contain secrets. */
const PRIVATE = 0o600

const yamlOf = async (declared: readonly Declared[]): Promise<string> => {
  const { stringify } = await import('yaml')
  return stringify(declared, { lineWidth: 0, aliasDuplicateObjects: false })
}

/** @throws UsageError if the folder has files that the export would not write */
const refuseOthers = async (folder: string, paths: ReadonlySet<string>): Promise<void> => {
  const other = (await declarationFiles(folder)).find(path => !paths.has(path))
  if (other !== undefined)
    throw new UsageError(`${other} is not a file of this export: delete it, or choose an empty folder`)
}

export const exporting = remoteCommand({
  summary: 'Write resources to files that declare them.',
  about:
    'Writes a YAML file for each kind, in a folder for each namespace. `annals plan` of the folder shows no changes. Secrets are not written:\nthose of auth methods and queries are <hidden>, which keeps them. Tokens of logins and queries of sessions are omitted.',
  examples: [
    'annals export -o config',
    'annals export -o config -kind policy -kind role',
    'annals export -o config -namespace team'
  ],
  flags: {
    out: text('folder', 'folder for the files', { short: 'o' }),
    kind: texts('kind', `only these kinds: ${CHANGE_KIND_NAMES.join(', ')}`, { choices: CHANGE_KIND_NAMES })
  },
  printsNotes: true,
  run: async ({ connection, console, out, flags }) => {
    const folder = flags.out
    if (folder === undefined) throw new UsageError('--out is missing: the folder for the files')
    const kinds = CHANGE_KIND_NAMES.filter(name => flags.kind.length === 0 || flags.kind.includes(name))
    const reader = new Reader(connection)
    const named = connection.namespace
    const namespaces = named === undefined ? await namespacesOf(reader) : [named]
    const files = new Map<string, string>()
    let count = 0
    let isFiltered = false
    for (const kind of kinds)
      for (const namespace of CHANGE_KIND_PLACES[kind] === 'namespace' ? namespaces : ['default']) {
        const own = reader.in(namespace)
        const declared = await exported(kind, own, namespace)
        isFiltered ||= own.isFiltered
        count += declared.length
        const path =
          CHANGE_KIND_PLACES[kind] === 'namespace'
            ? join(folder, namespace, `${kind}.yaml`)
            : join(folder, `${kind}.yaml`)
        if (declared.length > 0) files.set(path, await yamlOf(declared))
      }
    await mkdir(folder, { recursive: true })
    await refuseOthers(folder, new Set(files.keys()))
    for (const [path, content] of files) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content, { mode: PRIVATE })
    }
    if (isFiltered) console.err.write('Some resources are missing: the token may not read them\n')
    out.note(`Success! ${count} resources in ${files.size} files of ${folder}`)
  }
})
