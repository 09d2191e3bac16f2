import { Badge, ConfirmButton, Section } from '../../design/index.js'
import { useBlockingQuery } from '../../session/use-response.js'
import { textOf, type Fields, versionViewFor } from '../../resources/kind.js'
import { formatEntry } from '../../resources/format-entry.js'
import { servicePage } from '../../resources/catalog/facts.js'
import type { PanelProps, ResourceView } from '../resource/resource-view.js'
import { sendIfUnchanged } from '../send.js'
import { EntryForm, OF_SERVICE, permissionOf } from './entry-form.js'

const writtenOf = ({ CreateIndex: _created, ModifyIndex: _changed, ...entry }: Fields): Fields => entry

/** @param id kind and name */
const addressOf = (id: string) => {
  const [kind = '', ...rest] = id.split('/')
  const name = rest.join('/')
  return { kind, name, path: `/v1/config/${kind}/${encodeURIComponent(name)}` }
}

const Editor = ({ id, place: query }: PanelProps) => {
  const { path } = addressOf(id)
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

const Actions = ({ id, place, fields }: PanelProps) => {
  const { kind, name, path } = addressOf(id)
  const query = { ...place, cas: Number(fields['ModifyIndex']) }
  return (
    <ConfirmButton
      label="Delete entry"
      title={`Delete ${kind} ${name}?`}
      action={reason => sendIfUnchanged('DELETE', path, { query, reason })}
    >
      The server rejects the deletion if other entries depend on it.
    </ConfirmButton>
  )
}

export const entryView: ResourceView = {
  permission: permissionOf,
  // Entries of other kinds may have the same name.
  status: ({ Kind }) => <Badge tone="plain">{textOf(Kind)}</Badge>,
  summary: (fields, { ns: namespace, partition }) => {
    const [kind, service] = [textOf(fields['Kind']), textOf(fields['Name'])]
    return [
      ['Defines', formatEntry(fields)],
      [
        'Service',
        OF_SERVICE.test(kind) && <a href={servicePage({ service, namespace, partition })}>{service}</a>
      ]
    ]
  },
  Summary: Editor,
  Actions
}
