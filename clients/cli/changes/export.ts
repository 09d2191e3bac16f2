import { isUtf8 } from 'node:buffer'
import { CONFIG_SECRETS } from '../../../events/auth-method.js'
import {
  CHANGE_KIND_PLACES,
  type ChangeKindName,
  CHANGE_KIND_NAMES
} from '../../../actors/change-set/change-kind-names.js'
import { HIDDEN } from '../../../events/values.js'
import { ACL_LISTS, type Listing, Reader, readListed } from '../import/reader.js'
import { linksIn, textIn, writableIn, type Row } from '../import/resource.js'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { UsageError } from '../console.js'
import { namespacesOf } from '../import/other-kinds.js'
import { remoteCommand } from '../remote/command.js'
import { text, texts } from '../remote/flags.js'
import { declarationFiles } from './declared-files.js'

// The resources of each kind as declarations.

/** A declaration in a file, with its kind and name first. */
type Declared = Readonly<Record<string, unknown>> & { readonly Kind: string; readonly Name: string }

interface ExportedKind extends Listing {
  /** Default: the field `Name`. */
  readonly nameOf?: (row: Row) => string
  /** Returns the content. By default that is all but generated fields, and names in place of IDs of links. */
  readonly bodyOf?: (row: Row) => Row
}

const nameIn = (row: Row): string => textIn(row, 'Name')
const isEnding = (row: Row): boolean => Boolean(row['DeletedAt'])

/** Replaces the IDs of links by names. */
const withLinks = (row: Row, ...fields: readonly string[]): Row => ({
  ...row,
  ...Object.fromEntries(fields.filter(field => row[field]).map(field => [field, linksIn(row[field])]))
})

const hideSecrets = (row: Row): Row => {
  const config: Row = Object(row['Config'])
  const hidden = CONFIG_SECRETS.filter(name => config[name]).map(name => [name, HIDDEN] as const)
  return { ...row, Config: { ...config, ...Object.fromEntries(hidden) } }
}

const tokenBody = (row: Row): Row => {
  const {
    AccessorID: _accessor,
    SecretID: _secret,
    Specification: _name,
    ...body
  } = withLinks(row, 'Policies', 'Roles')
  return body
}

/** Removes the fields of intentions that only their own endpoints write. */
const withoutLegacy = (row: Row): Row => {
  const { Sources } = row
  if (!Array.isArray(Sources)) return row
  const isOwn = ([name]: readonly [string, unknown]): boolean => !name.startsWith('Legacy')
  return {
    ...row,
    Sources: Sources.map(source => Object.fromEntries(Object.entries(Object(source)).filter(isOwn)))
  }
}

/** A value that is text is written as text, unless it would mean a file. */
const keyBody = ({ Value, Flags }: Row): Row => {
  const bytes = Buffer.from(typeof Value === 'string' ? Value : '', 'base64')
  const decoded = bytes.toString()
  const isText = isUtf8(bytes) && !decoded.startsWith('@')
  return {
    ...(bytes.length === 0 ? {} : isText ? { Value: decoded } : { ValueBase64: Value }),
    ...(Flags === 0 ? {} : { Flags })
  }
}

const EXPORTS: Readonly<Record<ChangeKindName, ExportedKind>> = {
  partition: {
    list: '/v1/partitions',
    isOmitted: row => isEnding(row) || nameIn(row) === 'default'
  },
  namespace: {
    list: '/v1/namespaces',
    isOmitted: isEnding,
    bodyOf: row => {
      const acls: Row = Object(row['ACLs'])
      return row['ACLs'] ? { ...row, ACLs: withLinks(acls, 'PolicyDefaults', 'RoleDefaults') } : row
    }
  },
  policy: ACL_LISTS.policy,
  role: { ...ACL_LISTS.role, bodyOf: row => withLinks(row, 'Policies') },
  'auth-method': { ...ACL_LISTS['auth-method'], bodyOf: hideSecrets },
  'binding-rule': { ...ACL_LISTS['binding-rule'], nameOf: row => textIn(row, 'ID') },
  token: {
    list: ACL_LISTS.token.list,
    nameOf: row => textIn(row, 'AccessorID'),
    // A change cannot create tokens of logins or of the legacy system.
    isOmitted: row => Boolean(row['AuthMethod'] || row['Rules'] || row['Legacy'] || row['RotatedTo']),
    bodyOf: tokenBody
  },
  'config-entry': { list: '/v1/config/', bodyOf: withoutLegacy },
  query: {
    list: '/v1/query',
    nameOf: row => nameIn(row) || textIn(row, 'ID'),
    isOmitted: row => textIn(row, 'Session') !== '',
    bodyOf: ({ Session: _session, ...row }) => (row['Token'] ? { ...row, Token: HIDDEN } : row)
  },
  key: { list: '/v1/kv/', query: { recurse: true }, nameOf: row => textIn(row, 'Key'), bodyOf: keyBody }
}

const byName = (a: Declared, b: Declared): number =>
  a.Kind === b.Kind ? Number(a.Name > b.Name) - Number(a.Name < b.Name) : a.Kind > b.Kind ? 1 : -1

/** Returns the declarations of a kind in a namespace, sorted by name. @throws RequestRefused, Unreachable */
const exported = async (
  kind: ChangeKindName,
  reader: Reader,
  namespace: string
): Promise<readonly Declared[]> => {
  const exportedKind = EXPORTS[kind]
  const { nameOf = nameIn, bodyOf = row => row } = exportedKind
  const found = await readListed(reader, exportedKind, read => read)
  return found
    .map(row => {
      const { Name: _name, Key: _key, Kind: entryKind, ...body } = writableIn(bodyOf(row))
      const place =
        CHANGE_KIND_PLACES[kind] === 'namespace' && namespace !== 'default' ? { Namespace: namespace } : {}
      return {
        Kind: kind === 'config-entry' ? String(entryKind) : kind,
        Name: nameOf(row),
        ...place,
        ...body
      }
    })
    .toSorted(byName)
}

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
