import type { Place } from '../../../session/tenancy.js'
import { useEffect, useState } from 'preact/hooks'
import { ConfirmButton, Refusal } from '../../../design/index.js'
import { client } from '../../../session/session.js'
import { messageOf } from '../../../../../events/errors.js'
import { send } from '../../send.js'
import { useTask } from '../../../session/use-task.js'
import { folderAddress, folderOf, kvPath } from '../entry.js'
import { useRoute } from '../../../session/use-action.js'
import { namesBelow } from './names.js'

interface Count {
  readonly keys: number
  readonly isDone: boolean
  readonly failure?: string
}

const useCount = ({ ns, partition }: Place, under: string): Count => {
  const { connection } = client.value
  const [count, setCount] = useState<Count>({ keys: 0, isDone: false })
  const add = async (signal: AbortSignal): Promise<void> => {
    let keys = 0
    const walk = { space: { ns, partition }, under, isDeep: true, signal }
    for await (const page of namesBelow(connection, walk)) {
      keys += page.length
      setCount({ keys, isDone: false })
    }
    setCount({ keys, isDone: true })
  }
  const fail = (error: unknown): void => setCount({ keys: 0, isDone: true, failure: messageOf(error) })
  useTask(add, fail, [connection, ns, partition, under])
  return count
}

const formatKeys = (count: number): string => (count === 1 ? '1 key' : `${count.toLocaleString()} keys`)

interface Props {
  readonly space: Place
  readonly under: string
}

const Counted = ({ space, under, tell }: Props & { readonly tell: (isDone: boolean) => void }) => {
  const { keys, isDone, failure } = useCount(space, under)
  const isKnown = isDone && failure === undefined
  useEffect(() => tell(isKnown), [isKnown])
  return (
    <>
      <p role="status">
        {isDone
          ? `${formatKeys(keys)} visible to this token would be deleted: all whose names begin with ${under}`
          : `Counting: ${formatKeys(keys)} so far …`}
      </p>
      <Refusal text={failure} />
    </>
  )
}

export const DeleteFolder = ({ space, under }: Props) => {
  const [isCounted, setCounted] = useState(false)
  const route = useRoute()
  const remove = async (reason: string): Promise<void> => {
    if (!isCounted) throw new Error('Wait until the keys are counted.')
    await send('DELETE', kvPath(under), { query: { ...space, recurse: true }, reason })
    route(folderAddress(space, folderOf(under)))
  }
  return (
    <ConfirmButton label="Delete folder" title={`Delete ${under} and everything in it?`} action={remove}>
      <Counted space={space} under={under} tell={setCounted} />
    </ConfirmButton>
  )
}
