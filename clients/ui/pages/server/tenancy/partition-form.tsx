// A partition in a form.
import { useDraft } from '../../../session/use-draft.js'
import { store } from '../../access/forms/send.js'
import { TenancyForm } from './form.js'
import type { Partition } from './tenancy-resources.js'

interface Props {
  /** Undefined for one that is to be made. */
  readonly partition: Partition | undefined
  readonly done: (stored: Partition) => void
}

const PLACE = { ns: undefined, partition: undefined } as const

export const PartitionForm = ({ partition, done }: Props) => {
  const { Name = '', Description = '', DisableGossip, ModifyIndex = 0 } = partition ?? {}
  const draft = useDraft({ Name, Description }, ModifyIndex)
  const { value } = draft
  const send = async (reason: string): Promise<void> => {
    const target = { path: '/v1/partition', id: partition?.Name, place: PLACE }
    const saved = await store<Partition>(target, { ...value, DisableGossip }, reason)
    draft.discard()
    done(saved)
  }
  return <TenancyForm label="Partition" place={PLACE} draft={draft} isNew={!partition} send={send} />
}
