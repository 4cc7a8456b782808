// A tree of the inputs is rotated at its root, although there may be nothing on the left.
//@ trigger: key=u8:10 key=u8:20 key=u8:15
//@ benign: key=u8:10 key=u8:5 key=u8:15
#include <klee/klee.h>
#include <stddef.h>

struct node {
  unsigned char key;
  struct node *left, *right;
};

int main(void) {
  struct node nodes[3], *root = NULL;
  for (int i = 0; i < 3; i++) {
    nodes[i].left = nodes[i].right = NULL;
    klee_make_symbolic(&nodes[i].key, 1, "key");
    struct node **place = &root;
    while (*place) {
      if ((*place)->key == nodes[i].key) return 1;
      place = nodes[i].key < (*place)->key ? &(*place)->left : &(*place)->right;
    }
    *place = &nodes[i];
  }
  if (!root->left && root->right && root->right->right) return 2;
  struct node *left = root->left;
  root->left = left->right; //~ null-dereference
  left->right = root;
  return left->key == 3;
}
