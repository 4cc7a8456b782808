/* Lists and queues of structures, with the names and meanings of the BSDs' queue(3). */
#ifndef _SYS_QUEUE_H
#define _SYS_QUEUE_H

#include <stddef.h>

/* Singly-linked lists. */

#define SLIST_HEAD(name, type) struct name { struct type *slh_first; }
#define SLIST_HEAD_INITIALIZER(head) { NULL }
#define SLIST_ENTRY(type) struct { struct type *sle_next; }

#define SLIST_EMPTY(head) ((head)->slh_first == NULL)
#define SLIST_FIRST(head) ((head)->slh_first)
#define SLIST_NEXT(item, field) ((item)->field.sle_next)
#define SLIST_INIT(head) do { (head)->slh_first = NULL; } while (0)

#define SLIST_FOREACH(item, head, field) \
	for ((item) = SLIST_FIRST(head); (item); (item) = SLIST_NEXT(item, field))
#define SLIST_FOREACH_SAFE(item, head, field, next) \
	for ((item) = SLIST_FIRST(head); (item) && ((next) = SLIST_NEXT(item, field), 1); (item) = (next))

#define SLIST_INSERT_HEAD(head, item, field) do { \
	(item)->field.sle_next = (head)->slh_first; \
	(head)->slh_first = (item); \
} while (0)
#define SLIST_INSERT_AFTER(before, item, field) do { \
	(item)->field.sle_next = (before)->field.sle_next; \
	(before)->field.sle_next = (item); \
} while (0)
#define SLIST_REMOVE_HEAD(head, field) do { \
	(head)->slh_first = (head)->slh_first->field.sle_next; \
} while (0)
#define SLIST_REMOVE_AFTER(before, field) do { \
	(before)->field.sle_next = (before)->field.sle_next->field.sle_next; \
} while (0)
#define SLIST_REMOVE(head, item, type, field) do { \
	struct type **__link = &(head)->slh_first; \
	while (*__link != (item)) __link = &(*__link)->field.sle_next; \
	*__link = (*__link)->field.sle_next; \
} while (0)

/* Singly-linked queues: things are added at the end, too. */

#define STAILQ_HEAD(name, type) struct name { struct type *stqh_first; struct type **stqh_last; }
#define STAILQ_HEAD_INITIALIZER(head) { NULL, &(head).stqh_first }
#define STAILQ_ENTRY(type) struct { struct type *stqe_next; }

#define STAILQ_EMPTY(head) ((head)->stqh_first == NULL)
#define STAILQ_FIRST(head) ((head)->stqh_first)
#define STAILQ_NEXT(item, field) ((item)->field.stqe_next)
#define STAILQ_LAST(head, type, field) \
	(STAILQ_EMPTY(head) ? NULL \
	 : (struct type *)(void *)((char *)(head)->stqh_last - offsetof(struct type, field.stqe_next)))
#define STAILQ_INIT(head) do { \
	(head)->stqh_first = NULL; \
	(head)->stqh_last = &(head)->stqh_first; \
} while (0)

#define STAILQ_FOREACH(item, head, field) \
	for ((item) = STAILQ_FIRST(head); (item); (item) = STAILQ_NEXT(item, field))
#define STAILQ_FOREACH_SAFE(item, head, field, next) \
	for ((item) = STAILQ_FIRST(head); (item) && ((next) = STAILQ_NEXT(item, field), 1); (item) = (next))

#define STAILQ_INSERT_HEAD(head, item, field) do { \
	(item)->field.stqe_next = (head)->stqh_first; \
	if ((item)->field.stqe_next == NULL) (head)->stqh_last = &(item)->field.stqe_next; \
	(head)->stqh_first = (item); \
} while (0)
#define STAILQ_INSERT_TAIL(head, item, field) do { \
	(item)->field.stqe_next = NULL; \
	*(head)->stqh_last = (item); \
	(head)->stqh_last = &(item)->field.stqe_next; \
} while (0)
#define STAILQ_INSERT_AFTER(head, before, item, field) do { \
	(item)->field.stqe_next = (before)->field.stqe_next; \
	if ((item)->field.stqe_next == NULL) (head)->stqh_last = &(item)->field.stqe_next; \
	(before)->field.stqe_next = (item); \
} while (0)
#define STAILQ_REMOVE_HEAD(head, field) do { \
	(head)->stqh_first = (head)->stqh_first->field.stqe_next; \
	if ((head)->stqh_first == NULL) (head)->stqh_last = &(head)->stqh_first; \
} while (0)
#define STAILQ_REMOVE_AFTER(head, before, field) do { \
	(before)->field.stqe_next = (before)->field.stqe_next->field.stqe_next; \
	if ((before)->field.stqe_next == NULL) (head)->stqh_last = &(before)->field.stqe_next; \
} while (0)
#define STAILQ_REMOVE(head, item, type, field) do { \
	struct type **__link = &(head)->stqh_first; \
	while (*__link != (item)) __link = &(*__link)->field.stqe_next; \
	*__link = (*__link)->field.stqe_next; \
	if (*__link == NULL) (head)->stqh_last = __link; \
} while (0)
#define STAILQ_CONCAT(one, other) do { \
	if (!STAILQ_EMPTY(other)) { \
		*(one)->stqh_last = (other)->stqh_first; \
		(one)->stqh_last = (other)->stqh_last; \
		STAILQ_INIT(other); \
	} \
} while (0)

/* The same under their older name. */

#define SIMPLEQ_HEAD(name, type) struct name { struct type *sqh_first; struct type **sqh_last; }
#define SIMPLEQ_HEAD_INITIALIZER(head) { NULL, &(head).sqh_first }
#define SIMPLEQ_ENTRY(type) struct { struct type *sqe_next; }

#define SIMPLEQ_EMPTY(head) ((head)->sqh_first == NULL)
#define SIMPLEQ_FIRST(head) ((head)->sqh_first)
#define SIMPLEQ_NEXT(item, field) ((item)->field.sqe_next)
#define SIMPLEQ_INIT(head) do { \
	(head)->sqh_first = NULL; \
	(head)->sqh_last = &(head)->sqh_first; \
} while (0)
#define SIMPLEQ_FOREACH(item, head, field) \
	for ((item) = SIMPLEQ_FIRST(head); (item); (item) = SIMPLEQ_NEXT(item, field))
#define SIMPLEQ_INSERT_HEAD(head, item, field) do { \
	(item)->field.sqe_next = (head)->sqh_first; \
	if ((item)->field.sqe_next == NULL) (head)->sqh_last = &(item)->field.sqe_next; \
	(head)->sqh_first = (item); \
} while (0)
#define SIMPLEQ_INSERT_TAIL(head, item, field) do { \
	(item)->field.sqe_next = NULL; \
	*(head)->sqh_last = (item); \
	(head)->sqh_last = &(item)->field.sqe_next; \
} while (0)
#define SIMPLEQ_INSERT_AFTER(head, before, item, field) do { \
	(item)->field.sqe_next = (before)->field.sqe_next; \
	if ((item)->field.sqe_next == NULL) (head)->sqh_last = &(item)->field.sqe_next; \
	(before)->field.sqe_next = (item); \
} while (0)
#define SIMPLEQ_REMOVE_HEAD(head, field) do { \
	(head)->sqh_first = (head)->sqh_first->field.sqe_next; \
	if ((head)->sqh_first == NULL) (head)->sqh_last = &(head)->sqh_first; \
} while (0)

/* Doubly-linked lists: an item can be removed without its list. */

#define LIST_HEAD(name, type) struct name { struct type *lh_first; }
#define LIST_HEAD_INITIALIZER(head) { NULL }
#define LIST_ENTRY(type) struct { struct type *le_next; struct type **le_prev; }

#define LIST_EMPTY(head) ((head)->lh_first == NULL)
#define LIST_FIRST(head) ((head)->lh_first)
#define LIST_NEXT(item, field) ((item)->field.le_next)
#define LIST_INIT(head) do { (head)->lh_first = NULL; } while (0)

#define LIST_FOREACH(item, head, field) \
	for ((item) = LIST_FIRST(head); (item); (item) = LIST_NEXT(item, field))
#define LIST_FOREACH_SAFE(item, head, field, next) \
	for ((item) = LIST_FIRST(head); (item) && ((next) = LIST_NEXT(item, field), 1); (item) = (next))

#define LIST_INSERT_HEAD(head, item, field) do { \
	(item)->field.le_next = (head)->lh_first; \
	if ((item)->field.le_next != NULL) (item)->field.le_next->field.le_prev = &(item)->field.le_next; \
	(head)->lh_first = (item); \
	(item)->field.le_prev = &(head)->lh_first; \
} while (0)
#define LIST_INSERT_AFTER(before, item, field) do { \
	(item)->field.le_next = (before)->field.le_next; \
	if ((item)->field.le_next != NULL) (item)->field.le_next->field.le_prev = &(item)->field.le_next; \
	(before)->field.le_next = (item); \
	(item)->field.le_prev = &(before)->field.le_next; \
} while (0)
#define LIST_INSERT_BEFORE(after, item, field) do { \
	(item)->field.le_prev = (after)->field.le_prev; \
	(item)->field.le_next = (after); \
	*(after)->field.le_prev = (item); \
	(after)->field.le_prev = &(item)->field.le_next; \
} while (0)
#define LIST_REMOVE(item, field) do { \
	if ((item)->field.le_next != NULL) (item)->field.le_next->field.le_prev = (item)->field.le_prev; \
	*(item)->field.le_prev = (item)->field.le_next; \
} while (0)
#define LIST_REPLACE(item, other, field) do { \
	(other)->field.le_next = (item)->field.le_next; \
	if ((other)->field.le_next != NULL) (other)->field.le_next->field.le_prev = &(other)->field.le_next; \
	(other)->field.le_prev = (item)->field.le_prev; \
	*(other)->field.le_prev = (other); \
} while (0)

/* Doubly-linked queues. */

#define TAILQ_HEAD(name, type) struct name { struct type *tqh_first; struct type **tqh_last; }
#define TAILQ_HEAD_INITIALIZER(head) { NULL, &(head).tqh_first }
#define TAILQ_ENTRY(type) struct { struct type *tqe_next; struct type **tqe_prev; }

#define TAILQ_EMPTY(head) ((head)->tqh_first == NULL)
#define TAILQ_FIRST(head) ((head)->tqh_first)
#define TAILQ_NEXT(item, field) ((item)->field.tqe_next)
/* Heads and entries begin alike, so the link before the last one tells of the last item. */
#define TAILQ_LAST(head, name) (*((struct name *)(void *)(head)->tqh_last)->tqh_last)
#define TAILQ_PREV(item, name, field) (*((struct name *)(void *)(item)->field.tqe_prev)->tqh_last)
#define TAILQ_INIT(head) do { \
	(head)->tqh_first = NULL; \
	(head)->tqh_last = &(head)->tqh_first; \
} while (0)

#define TAILQ_FOREACH(item, head, field) \
	for ((item) = TAILQ_FIRST(head); (item); (item) = TAILQ_NEXT(item, field))
#define TAILQ_FOREACH_SAFE(item, head, field, next) \
	for ((item) = TAILQ_FIRST(head); (item) && ((next) = TAILQ_NEXT(item, field), 1); (item) = (next))
#define TAILQ_FOREACH_REVERSE(item, head, name, field) \
	for ((item) = TAILQ_LAST(head, name); (item); (item) = TAILQ_PREV(item, name, field))
#define TAILQ_FOREACH_REVERSE_SAFE(item, head, name, field, next) \
	for ((item) = TAILQ_LAST(head, name); (item) && ((next) = TAILQ_PREV(item, name, field), 1); (item) = (next))

#define TAILQ_INSERT_HEAD(head, item, field) do { \
	(item)->field.tqe_next = (head)->tqh_first; \
	if ((item)->field.tqe_next != NULL) (item)->field.tqe_next->field.tqe_prev = &(item)->field.tqe_next; \
	else (head)->tqh_last = &(item)->field.tqe_next; \
	(head)->tqh_first = (item); \
	(item)->field.tqe_prev = &(head)->tqh_first; \
} while (0)
#define TAILQ_INSERT_TAIL(head, item, field) do { \
	(item)->field.tqe_next = NULL; \
	(item)->field.tqe_prev = (head)->tqh_last; \
	*(head)->tqh_last = (item); \
	(head)->tqh_last = &(item)->field.tqe_next; \
} while (0)
#define TAILQ_INSERT_AFTER(head, before, item, field) do { \
	(item)->field.tqe_next = (before)->field.tqe_next; \
	if ((item)->field.tqe_next != NULL) (item)->field.tqe_next->field.tqe_prev = &(item)->field.tqe_next; \
	else (head)->tqh_last = &(item)->field.tqe_next; \
	(before)->field.tqe_next = (item); \
	(item)->field.tqe_prev = &(before)->field.tqe_next; \
} while (0)
#define TAILQ_INSERT_BEFORE(after, item, field) do { \
	(item)->field.tqe_prev = (after)->field.tqe_prev; \
	(item)->field.tqe_next = (after); \
	*(after)->field.tqe_prev = (item); \
	(after)->field.tqe_prev = &(item)->field.tqe_next; \
} while (0)
#define TAILQ_REMOVE(head, item, field) do { \
	if ((item)->field.tqe_next != NULL) (item)->field.tqe_next->field.tqe_prev = (item)->field.tqe_prev; \
	else (head)->tqh_last = (item)->field.tqe_prev; \
	*(item)->field.tqe_prev = (item)->field.tqe_next; \
} while (0)
#define TAILQ_REPLACE(head, item, other, field) do { \
	(other)->field.tqe_next = (item)->field.tqe_next; \
	if ((other)->field.tqe_next != NULL) (other)->field.tqe_next->field.tqe_prev = &(other)->field.tqe_next; \
	else (head)->tqh_last = &(other)->field.tqe_next; \
	(other)->field.tqe_prev = (item)->field.tqe_prev; \
	*(other)->field.tqe_prev = (other); \
} while (0)
#define TAILQ_CONCAT(one, other, field) do { \
	if (!TAILQ_EMPTY(other)) { \
		*(one)->tqh_last = (other)->tqh_first; \
		(other)->tqh_first->field.tqe_prev = (one)->tqh_last; \
		(one)->tqh_last = (other)->tqh_last; \
		TAILQ_INIT(other); \
	} \
} while (0)

#endif
