import { resolve } from 'node:path'
import { UsageError, Failed } from '../console.js'
import { group, remoteCommand } from '../remote/command.js'
import { connectionFlags } from '../remote/connection-options.js'
import { required } from '../remote/flags.js'
import { table } from '../remote/output.js'
import { contextNames } from '../completion/sources.js'
import { readContexts, writeContexts, type Context } from './contexts.js'

const { httpAddr, caFile, tokenFile, namespace } = connectionFlags

const fileAt = (path: string | undefined): string | undefined =>
  path === undefined ? undefined : resolve(path)

const definedIn = (fields: Readonly<Record<keyof Context, string | undefined>>): Context =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  )

const which = { name: required('name of the context', contextNames) }

const add = remoteCommand({
  summary: 'Add a context, or replace one.',
  about: 'The first context becomes the current one.',
  examples: [
    'annals context add dev -http-addr 127.0.0.1:8500',
    'annals context add prod -http-addr https://annals.example:8501 -ca-file ca.pem -token-file ~/.annals-prod -namespace shop'
  ],
  args: { name: required('name of the context') },
  flags: { httpAddr, caFile, tokenFile, namespace },
  isLocal: true,
  run: async ({ flags, args, console, out }) => {
    if (flags.httpAddr === undefined) throw new UsageError('--http-addr is missing')
    const { current, byName } = await readContexts(console.env)
    const context = definedIn({
      httpAddr: flags.httpAddr,
      caFile: fileAt(flags.caFile),
      tokenFile: fileAt(flags.tokenFile),
      namespace: flags.namespace
    })
    await writeContexts(console.env, {
      current: current ?? args.name,
      byName: new Map([...byName, [args.name, context]])
    })
    out.note(`Context "${args.name}" added${current === undefined ? ', and now current' : ''}`)
  }
})

const use = remoteCommand({
  summary: 'Make a context the current one.',
  examples: ['annals context use prod'],
  args: which,
  isLocal: true,
  run: async ({ args: { name }, console, out }) => {
    const { byName } = await readContexts(console.env)
    if (!byName.has(name)) throw new Failed(`there is no context "${name}"`)
    await writeContexts(console.env, { current: name, byName })
    out.note(`Context "${name}" is now current`)
  }
})

const remove = remoteCommand({
  summary: 'Delete a context.',
  examples: ['annals context delete dev'],
  args: which,
  isLocal: true,
  run: async ({ args: { name }, console, out }) => {
    const { current, byName } = await readContexts(console.env)
    if (!byName.has(name)) throw new Failed(`there is no context "${name}"`)
    const others = [...byName].filter(([other]) => other !== name)
    await writeContexts(console.env, {
      current: current === name ? undefined : current,
      byName: new Map(others)
    })
    out.note(`Context "${name}" deleted`)
  }
})

const list = remoteCommand({
  summary: 'List contexts. A star marks the current one.',
  examples: ['annals context list'],
  isLocal: true,
  run: async ({ console, out }) => {
    const { current, byName } = await readContexts(console.env)
    const all = [...byName].map(([Name, context]) => ({
      Current: Name === current ? '*' : '',
      Name,
      ...context
    }))
    out.show(all, rows =>
      table(
        [
          'Current',
          'Name',
          ['Address', 'httpAddr'],
          ['Namespace', 'namespace'],
          ['Token file', 'tokenFile'],
          ['CA file', 'caFile']
        ],
        rows
      )
    )
  }
})

export const contextGroup = group({
  summary: 'Store the address, CA, token file and namespace of servers under names.',
  about:
    'Commands use the current context, or that of --context or ANNALS_CONTEXT. An address of a flag or a variable replaces the context.',
  examples: [
    'annals context add dev -http-addr 127.0.0.1:8500',
    'annals context use dev',
    'annals context list'
  ],
  commands: { add, use, list, delete: remove }
})
