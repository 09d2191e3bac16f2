import { UsageError } from '../console.js'
import { pastMoment } from '../history/moments.js'
import { remoteCommand } from '../remote/command.js'
import { moment, required } from '../remote/flags.js'
import { table } from '../remote/output.js'
import { sourceText } from './explain.js'

export const who = remoteCommand({
  summary: 'List the tokens, logins, roles and binding rules that have a permission.',
  about:
    'Each comes with the rule that decides. Write "" as the name for resources without names, such as acl. With --since, the list has only\nwhat lacked the permission at that time. The time --until is now by default.',
  examples: [
    'annals acl who key config/db write',
    'annals acl who acl "" write --at yesterday',
    'annals acl who key config/db write --since 30d       who gained it'
  ],
  args: {
    resource: required('resource of the rule language, such as key or service'),
    segment: required('name of the key, service or other resource'),
    access: required('read, list, write or write-prefix')
  },
  flags: {
    at: moment('who could then'),
    since: moment('only who could not then'),
    until: moment('end of the period that begins with --since')
  },
  isRead: true,
  run: async ({ read, out, args, flags: { at, since, until } }) => {
    if (at !== undefined && (since ?? until) !== undefined)
      throw new UsageError('--at and --since exclude each other')
    const past = async (time: string | undefined) => time && pastMoment(read, time)
    const found = await read('/v1/acl/who', {
      ...args,
      at: await past(at),
      from: await past(since),
      to: await past(until)
    })
    out.show(found, holders =>
      table(
        ['Kind', 'ID', 'Name', 'Namespace', 'Rule', 'From', 'Selector'],
        holders.map(({ Rule, Source, DefaultPolicy, ...holder }) => ({
          ...holder,
          Rule: Rule ? `${Rule.Text} ${Rule.Level}` : `default policy ${DefaultPolicy ?? ''}`,
          From: Source && [Source, ...Source.Links].map(sourceText).join(', ')
        }))
      )
    )
  }
})
