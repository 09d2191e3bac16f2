import type { Query } from '../../../typescript/connection.js'
import { ConfirmButton, Section } from '../../design/index.js'
import { useBlockingQuery } from '../../session/use-response.js'
import { fieldsOf, textOf, type Fields } from '../../resources/kind.js'
import { formatEntry } from '../../resources/format-entry.js'
import { versionViewFor } from '../../resources/versions.js'
import { servicePage } from '../catalog/summary.js'
import type { PanelProps, ResourceView } from '../resource/resource-view.js'
import { sendIfUnchanged } from '../send.js'
import { EntryForm } from './entry-form.js'

const writtenOf = ({ CreateIndex: _created, ModifyIndex: _changed, ...entry }: Fields): Fields => entry

const addressOf = ({ key, ns, partition }: Query) => {
  const [kind = '', ...rest] = String(key).split('/')
  const name = rest.join('/')
  return { kind, name, path: `/v1/config/${kind}/${encodeURIComponent(name)}`, query: { ns, partition } }
}

const Editor = ({ named }: PanelProps) => {
  const { path, query } = addressOf(named)
  const { value, failure } = useBlockingQuery<Fields>(path, query)
  return (
    <Section title="Edit" failure={failure}>
      {value && (
        <EntryForm
          saved={{ text: versionViewFor(writtenOf(value)), index: Number(value['ModifyIndex']) }}
          query={query}
        />
      )}
    </Section>
  )
}

const Actions = ({ named, newest }: PanelProps) => {
  const { kind, name, path, query } = addressOf(named)
  const cas = Number(fieldsOf(newest.Payload ?? {})['ModifyIndex'])
  const failure = 'Not deleted: someone else changed it first.'
  return (
    <ConfirmButton
      label="Delete entry"
      title={`Delete ${kind} ${name}?`}
      action={reason => sendIfUnchanged('DELETE', path, { query: { ...query, cas }, reason }, failure)}
    >
      The server rejects the deletion if other entries depend on it.
    </ConfirmButton>
  )
}

const OF_SERVICE = /^service-/

export const entryView: ResourceView = {
  permission: ({ Kind, Name }) => {
    if (OF_SERVICE.test(textOf(Kind))) return { resource: 'service', segment: textOf(Name) }
    return { resource: Kind === 'mesh' ? 'mesh' : 'operator', segment: '' }
  },
  summary: (fields, { ns, partition }) => {
    const [kind, service] = [textOf(fields['Kind']), textOf(fields['Name'])]
    const place = { namespace: textOf(ns) || 'default', partition: textOf(partition) || 'default' }
    return [
      ['Kind', kind],
      ['Defines', formatEntry(fields)],
      ['Service', OF_SERVICE.test(kind) && <a href={servicePage({ service, ...place })}>{service}</a>]
    ]
  },
  Summary: Editor,
  Actions
}
