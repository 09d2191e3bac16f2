// What namespaces and partitions have in common: commands that name one, and write, show or delete it.
import { UsageError } from '../console.js'
import { remoteCommand } from '../remote/command.js'
import { DEFINITION, definitionIn } from '../remote/definition.js'
import { needed, optional, text } from '../remote/flags.js'

/** How commands take the name of one. */
export const naming = {
  args: { name: optional('its name, in place of --name') },
  flags: { name: text('name', 'its name') }
}

interface Naming {
  readonly name: string | undefined
}

/** @throws UsageError unless it is named once */
export const nameOf = (flags: Naming, args: Naming): string => {
  const name = flags.name ?? args.name
  if (name === undefined) throw new UsageError('the name is missing')
  if (flags.name !== undefined && args.name !== undefined)
    throw new UsageError('the name is given as an argument, or by --name')
  return name
}

interface Kind<Value> {
  /** `namespace` or `partition`: its path, and the name of the command. */
  readonly kind: string
  /** How sentences call one, with its article. */
  readonly called: string
  readonly example: string
  readonly asText: (value: Value) => string
}

export const pathOf = (kind: string, name: string): string => `/v1/${kind}/${encodeURIComponent(name)}`

export const commonCommands = <Value>({ kind, called, example, asText }: Kind<Value>) => ({
  write: remoteCommand({
    summary: `Make ${called} what a definition says.`,
    examples: [`annals ${kind} write ${example}.hcl`],
    args: { file: needed(DEFINITION) },
    run: async ({ send, out, args, console }) => {
      const answer = await send('PUT', `/v1/${kind}`, { body: await definitionIn(args.file, console) })
      out.show(await answer.json<Value>(), asText)
    }
  }),
  read: remoteCommand({
    summary: `Show ${called}.`,
    examples: [`annals ${kind} read ${example}`],
    ...naming,
    run: async ({ read, out, args, flags }) =>
      out.show(await read<Value>(pathOf(kind, nameOf(flags, args))), asText)
  }),
  delete: remoteCommand({
    summary: `Delete ${called} with all that is in it.`,
    about: 'What is in it goes in the background, after this command has ended.',
    examples: [`annals ${kind} delete ${example}`],
    ...naming,
    run: async ({ send, out, args, flags }) => {
      const name = nameOf(flags, args)
      await send('DELETE', pathOf(kind, name))
      out.done(`The ${kind} "${name}" is being deleted`)
    }
  })
})
