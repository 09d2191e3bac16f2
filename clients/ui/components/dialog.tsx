// A dialog above the page, by the browser's own: it keeps the focus within, closes by Escape, and gives the focus
// back. <Dialog title="Keys" isOpen={isOpen} close={() => setIsOpen(false)}>…</Dialog>
// What stands in a <footer> at its end is its buttons. For a deed to confirm, take ConfirmButton.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

interface Props {
  readonly title: string
  readonly isOpen: boolean
  /** Is called however it is closed. */
  readonly close: () => void
  readonly children: ComponentChildren
}

export const Dialog = ({ title, isOpen, close, children }: Props) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen])
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={close}>
      <h2 id={id}>{title}</h2>
      {isOpen && children}
    </dialog>
  )
}
