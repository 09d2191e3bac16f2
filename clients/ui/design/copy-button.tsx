// Copies a text to the clipboard. Renders nothing without TLS, where browsers offer no clipboard.
import { Button } from './button.js'
import { useState } from 'preact/hooks'
import { messageOf } from '../../../events/errors.js'
import { Refusal } from './notice.js'

export const CopyButton = ({ text }: { readonly text: string }) => {
  const [isCopied, setIsCopied] = useState(false)
  const [failure, setFailure] = useState<string>()
  if (!window.isSecureContext) return null
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setIsCopied(true),
      (error: unknown) => setFailure(messageOf(error))
    )
  }
  return (
    <>
      <Button label={isCopied ? 'Copied' : 'Copy'} act={copy} />
      <Refusal text={failure} />
    </>
  )
}
