import type { Schemas } from '../../typescript/typed/index.js'
import { UsageError, Failed, undefinedIfMissing } from '../console.js'
import { text, optional, required, on, integer, casOf, type FlagDefinitions } from '../remote/flags.js'
import {
  definitionTextIn,
  DEFINITION,
  definitionIn,
  type Definition,
  parseDefinition
} from '../remote/content.js'
import { configEntries, configKinds } from '../completion/sources.js'
import { DELETION, deleteIfPresent, deletionFlags } from '../remote/deletion.js'
import { remoteCommand, type Run } from '../remote/command.js'
import { safe, fields } from '../remote/output.js'
import { createPatch } from 'rfc6902'
import { patchText } from '../history/patch-text.js'
import { messageOf } from '../../../events/errors.js'
import { edit } from '../remote/editor.js'
import { ONLY_NAMES } from '../changes/declarations.js'

interface Named {
  readonly kind: string
  readonly name: string
}

const naming = {
  kind: text('kind', 'kind of the entry, such as service-router', { completes: configKinds }),
  name: text('name', 'its name')
} satisfies FlagDefinitions

interface Naming {
  readonly kind: string | undefined
  readonly name: string | undefined
}

/** @param entry `KIND/NAME` @throws UsageError */
const namedBy = ({ kind, name }: Naming, entry: string | undefined): Named => {
  if (entry !== undefined && (kind !== undefined || name !== undefined))
    throw new UsageError('an entry is named by KIND/NAME, or by --kind and --name')
  const at = entry?.indexOf('/') ?? -1
  const target =
    entry === undefined ? { kind, name } : at < 0 ? { kind: entry, name: undefined } : split(entry, at)
  if (target.kind === undefined)
    throw new UsageError('an entry is named by KIND/NAME, or by --kind and --name')
  const found = target.name ?? ONLY_NAMES[target.kind]
  if (found === undefined) throw new UsageError(`the name of the ${target.kind} is missing`)
  return { kind: target.kind, name: found }
}

const split = (entry: string, at: number): Named => ({ kind: entry.slice(0, at), name: entry.slice(at + 1) })

/** @throws UsageError */
const namedIn = (definition: Definition): Named => {
  const [kind, name] = [definitionTextIn(definition, 'kind'), definitionTextIn(definition, 'name')]
  if (typeof kind !== 'string') throw new UsageError('the entry has no Kind')
  return namedBy({ kind, name: typeof name === 'string' ? name : undefined }, undefined)
}

export const configRead = remoteCommand({
  summary: 'Print a configuration entry, as JSON.',
  examples: ['annals config read -kind service-router -name web', 'annals config read proxy-defaults/global'],
  args: { entry: optional('KIND/NAME, instead of the flags', configEntries) },
  flags: naming,
  isRead: true,
  run: async ({ read, out, flags, args }) =>
    out.data(await read('/v1/config/{kind}/{name}', namedBy(flags, args.entry)))
})

/** The kind of a single entry without a name is its name. */
const nameIn = (entry: Schemas['ConfigEntry']): string => ('Name' in entry ? entry.Name : entry.Kind)

export const configList = remoteCommand({
  summary: 'List the names of configuration entries.',
  examples: [
    'annals config list                        all, as KIND/NAME',
    'annals config list -kind service-router'
  ],
  flags: { kind: text('kind', 'only entries of this kind', { completes: configKinds }) },
  isRead: true,
  run: async ({ read, out, flags }) => {
    const { kind } = flags
    const found = kind === undefined ? read('/v1/config/') : read('/v1/config/{kind}', { kind })
    out.show(await found, entries =>
      entries
        .map(entry => safe(kind === undefined ? `${entry.Kind}/${nameIn(entry)}` : nameIn(entry)))
        .join('\n')
    )
  }
})

type ConfigDryRun = Schemas['ConfigEntryTrial']

/** @param cas required ModifyIndex */
const dryRunWrite = async (send: Run['send'], definition: Definition, cas?: string) =>
  (
    await send('PUT', '/v1/config', { query: { 'dry-run': true, cas }, body: definition })
  ).json<ConfigDryRun>()

const keysText = ({ Added, Removed, Changed }: Schemas['KeyDifference']): string =>
  [
    ...Removed.map(key => `- ${key}`),
    ...Changed.map(key => `~ ${key}`),
    ...Added.map(key => `+ ${key}`)
  ].join(', ')

const chainText = ({ Service, Namespace, Error, Nodes, Targets }: Schemas['ChainDifference']): string => {
  const head = `The chain of ${Service} in namespace ${Namespace} ${Error === undefined ? 'changes' : 'breaks'}:`
  const about = fields({ Error, Nodes: keysText(Nodes), Targets: keysText(Targets) })
  return `${head}\n${about.replaceAll(/^/gm, '  ')}`
}

const OUTCOMES = {
  stored: 'would be stored',
  unchanged: 'is stored as it is given: nothing would change',
  stale: 'would not be stored: its ModifyIndex is another',
  refused: 'would be refused:'
} as const

const dryRunText = ({ kind, name }: Named, { Outcome, Errors, Chains, Unchecked }: ConfigDryRun): string =>
  [
    `${kind}/${name} ${OUTCOMES[Outcome]}`,
    ...Errors.map(error => `  ${error}`),
    ...Chains.map(chainText),
    ...(Unchecked === 0 ? [] : [`${Unchecked} more chains may change and were not looked at`])
  ].join('\n')

const casFlags = {
  cas: on('only if the entry has the --modify-index'),
  modifyIndex: integer('index', 'required ModifyIndex; 0 if the entry must not exist')
}

export const configWrite = remoteCommand({
  summary: 'Store a configuration entry.',
  about:
    'With --dry-run the server stores nothing. The output lists all errors and the discovery chains that would change, with --json before\nand after. The exit code is 1 if the entry would not be stored.',
  examples: [
    'annals config write web-router.hcl',
    'annals config write -dry-run web-router.hcl',
    `echo '{"Kind":"service-defaults","Name":"web","Protocol":"http"}' | annals config write -`
  ],
  args: { file: required(DEFINITION) },
  flags: { ...casFlags, dryRun: on('store nothing, and show the changes') },
  run: async ({ send, out, flags, args, console }) => {
    const definition = await definitionIn(args.file, console)
    const named = namedIn(definition)
    const called = `${named.kind}/${named.name}`
    const cas = casOf(flags)
    if (flags.dryRun) {
      const trial = await dryRunWrite(send, definition, cas)
      out.show(trial, tried => dryRunText(named, tried))
      if (trial.Entry === null && trial.Outcome !== 'unchanged')
        throw new Failed(`${called} would not be stored`)
      return
    }
    const answer = await send('PUT', '/v1/config', { query: { cas }, body: definition })
    if (!(await answer.json<boolean>()))
      throw new Failed(`${called} was not stored: its ModifyIndex is another`)
    out.note(`Config entry written: ${called}`)
  }
})

/** Returns an entry without its indexes, which a comparison ignores. */
const content = ({ CreateIndex: _created, ModifyIndex: _modified, ...entry }: Definition): Definition => entry

export const configDiff = remoteCommand({
  summary: 'Compare a configuration entry in a file with the stored one.',
  about:
    'Prints a line for each difference, defaults included: + added, - removed, ~ changed. The exit code is 1 if they differ.',
  examples: ['annals config diff web-router.hcl'],
  args: { file: required(DEFINITION) },
  run: async ({ read, send, out, args, console }) => {
    const definition = await definitionIn(args.file, console)
    const named = namedIn(definition)
    const [stored, trial] = await Promise.all([
      undefinedIfMissing(read('/v1/config/{kind}/{name}', named)),
      dryRunWrite(send, definition)
    ])
    const before = stored && content(stored)
    if (trial.Outcome === 'refused') throw new Failed(trial.Errors.join('; '))
    const patch = trial.Entry ? createPatch(before ?? {}, content(trial.Entry)) : []
    out.show(patch, patchText, 'No differences')
    if (patch.length > 0)
      throw new Failed(
        `${named.kind}/${named.name} ${before ? 'differs from what is stored' : 'is not stored yet'}`
      )
  }
})

export const configDelete = remoteCommand({
  summary: 'Delete a configuration entry.',
  about: `${DELETION} The exit code is 1 if the condition of --cas fails.`,
  examples: [
    'annals config delete -kind service-router -name web',
    'annals config delete -cas -modify-index=42 service-router/web',
    'annals config delete -filename web-router.hcl'
  ],
  args: { entry: optional('KIND/NAME, instead of the flags', configEntries) },
  flags: {
    ...naming,
    filename: text('file', 'file with the entry, instead of kind and name'),
    ...casFlags,
    ...deletionFlags
  },
  run: async run => {
    const { read, write, flags, args, console } = run
    const { filename } = flags
    const cas = casOf(flags)
    if (cas === '0') throw new UsageError('--cas needs --modify-index')
    if (
      filename !== undefined &&
      (args.entry !== undefined || flags.kind !== undefined || flags.name !== undefined)
    )
      throw new UsageError('--filename stands in place of KIND/NAME, --kind and --name')
    const named =
      filename === undefined ? namedBy(flags, args.entry) : namedIn(await definitionIn(filename, console))
    const called = `${named.kind}/${named.name}`
    await deleteIfPresent(run, called, async () => {
      await read('/v1/config/{kind}/{name}', named)
      if ((await write('delete', '/v1/config/{kind}/{name}', undefined, { ...named, cas })) === false)
        throw new Failed(`${called} was not deleted: its ModifyIndex is another`)
      return `Config entry deleted: ${called}`
    })
  }
})

export const configEdit = remoteCommand({
  summary: 'Edit a configuration entry in $VISUAL, $EDITOR or vi.',
  about:
    'The server validates the edited entry. The command prints the difference, and stores the entry only if it has not changed since.\nA missing entry is created.',
  examples: ['annals config edit service-router/web', 'EDITOR=nano annals config edit proxy-defaults/global'],
  args: { entry: optional('KIND/NAME, instead of the flags', configEntries) },
  flags: naming,
  run: async ({ read, send, out, flags, args, console }) => {
    const named = namedBy(flags, args.entry)
    const called = `${named.kind}/${named.name}`
    const stored = await undefinedIfMissing(read('/v1/config/{kind}/{name}', named))
    const before = stored ? content(stored) : { Kind: named.kind, Name: named.name }
    const problemOf = async (edited: string): Promise<string | undefined> => {
      try {
        const { Outcome, Errors } = await dryRunWrite(send, await parseDefinition(edited, 'the entry'))
        return Outcome === 'refused' ? Errors.join('\n') : undefined
      } catch (error) {
        return messageOf(error)
      }
    }
    const shown = `${JSON.stringify(before, null, 2)}\n`
    const edited = await edit(console, { name: `${called}.json`, text: shown, problemOf })
    if (edited === undefined) return
    const body = await parseDefinition(edited, 'the entry')
    const query = { cas: stored?.ModifyIndex ?? 0 }
    if (!(await (await send('PUT', '/v1/config', { query, body })).json<boolean>()))
      throw new Failed(`${called} was not stored: it has changed since it was read`)
    out.note(`Config entry written: ${called}`)
  }
})
