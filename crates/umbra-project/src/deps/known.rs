//! Libraries that are known to build, and how.
//!
//! The list is that of tests/corpus/libraries.txt, with what those need. A library that is not here is
//! built as its build system suggests.

/// A library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Library {
    /// Its name for `umbra deps`: that of the source package, without a version.
    pub name: &'static str,
    /// The distribution's source package.
    pub source: &'static str,
    /// What `-l` calls it.
    pub links: &'static [&'static str],
    /// Headers of its own, or folders of them (with a slash at the end).
    pub headers: &'static [&'static str],
    /// What pkg-config and CMake call it, in lower case.
    pub packages: &'static [&'static str],
    /// Libraries that it is built with.
    pub needs: &'static [&'static str],
    /// How it is built.
    pub recipe: Recipe,
}

/// How a library is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// `./configure`, `make`, `make install`, with more arguments for configure.
    Configure(&'static str),
    /// CMake, with more arguments.
    CMake(&'static str),
    /// Meson, with more arguments.
    Meson(&'static str),
    /// Commands of the shell. `$PREFIX` is where the library will be, `$DESTDIR` the root below which it
    /// is installed for now.
    Shell(&'static str),
}

/// All of them, by name.
pub const KNOWN: &[Library] = &[
    Library {
        name: "cairo",
        source: "cairo",
        links: &["cairo", "cairo-gobject"],
        headers: &["cairo/", "cairo.h"],
        packages: &["cairo", "cairo-gobject"],
        needs: &["pixman", "libpng", "zlib", "glib"],
        recipe: Recipe::Configure(
            "--disable-xlib --disable-xcb --disable-ft --disable-fc --disable-ps --disable-gtk-doc \
             --disable-trace --disable-interpreter --enable-gobject",
        ),
    },
    Library {
        name: "curl",
        source: "curl",
        links: &["curl"],
        headers: &["curl/"],
        packages: &["libcurl", "curl"],
        needs: &["zlib", "openssl"],
        recipe: Recipe::Configure(
            "--with-openssl --without-libpsl --disable-ldap --without-libssh2 --without-nghttp2 \
             --without-brotli --without-zstd --without-libidn2 --disable-manual \
             --disable-threaded-resolver",
        ),
    },
    Library {
        name: "expat",
        source: "expat",
        links: &["expat"],
        headers: &["expat.h"],
        packages: &["expat"],
        needs: &[],
        recipe: Recipe::Shell(
            // Debian's patches ask for the values that configure gives.
            "sed -Ei 's/^#cmakedefine (XML_[A-Z]+)$/#cmakedefine \\1 1/' expat/expat_config.h.cmake && \
             cmake -S expat -B umbra-build -DCMAKE_INSTALL_PREFIX=\"$PREFIX\" \
             -DCMAKE_INSTALL_LIBDIR=lib -DEXPAT_SHARED_LIBS=OFF -DEXPAT_BUILD_TOOLS=OFF \
             -DEXPAT_BUILD_EXAMPLES=OFF -DEXPAT_BUILD_TESTS=OFF -DEXPAT_BUILD_DOCS=OFF && \
             cmake --build umbra-build && cmake --install umbra-build",
        ),
    },
    Library {
        name: "gdk-pixbuf",
        source: "gdk-pixbuf",
        links: &["gdk_pixbuf-2.0"],
        headers: &["gdk-pixbuf/"],
        packages: &["gdk-pixbuf-2.0"],
        needs: &["glib", "libpng", "libjpeg-turbo", "zlib"],
        recipe: Recipe::Meson(
            "-Dintrospection=disabled -Dman=false -Dgtk_doc=false -Dtests=false -Dtiff=disabled \
             -Dinstalled_tests=false -Dgio_sniffing=false -Dbuiltin_loaders=all",
        ),
    },
    Library {
        name: "glib",
        source: "glib2.0",
        links: &["glib-2.0", "gobject-2.0", "gio-2.0", "gmodule-2.0", "gthread-2.0"],
        headers: &["glib.h", "glib/", "gio/", "gobject/", "glib-object.h", "gmodule.h"],
        packages: &["glib-2.0", "gobject-2.0", "gio-2.0", "gmodule-2.0", "gthread-2.0"],
        needs: &["libffi", "pcre2", "zlib"],
        recipe: Recipe::Meson(
            "-Dtests=false -Dselinux=disabled -Dlibmount=disabled -Dxattr=false -Dnls=disabled \
             -Dman=false -Dgtk_doc=false -Dlibelf=disabled -Dglib_debug=disabled",
        ),
    },
    Library {
        name: "lcms2",
        source: "lcms2",
        links: &["lcms2"],
        headers: &["lcms2.h"],
        packages: &["lcms2"],
        needs: &[],
        recipe: Recipe::Configure("--without-jpeg --without-tiff"),
    },
    Library {
        name: "libffi",
        source: "libffi",
        links: &["ffi"],
        headers: &["ffi.h"],
        packages: &["libffi"],
        needs: &[],
        recipe: Recipe::Configure("--disable-docs --disable-multi-os-directory"),
    },
    Library {
        name: "libjpeg-turbo",
        source: "libjpeg-turbo",
        links: &["jpeg", "turbojpeg"],
        headers: &["jpeglib.h", "turbojpeg.h"],
        packages: &["libjpeg", "libturbojpeg", "jpeg"],
        needs: &[],
        recipe: Recipe::CMake("-DWITH_SIMD=0 -DENABLE_SHARED=0 -DWITH_JAVA=0"),
    },
    Library {
        name: "libpcap",
        source: "libpcap",
        links: &["pcap"],
        headers: &["pcap.h", "pcap/"],
        packages: &["libpcap"],
        needs: &[],
        recipe: Recipe::Configure(
            "--without-libnl --disable-dbus --disable-usb --disable-bluetooth --disable-rdma",
        ),
    },
    Library {
        name: "libpng",
        source: "libpng1.6",
        links: &["png", "png16"],
        headers: &["png.h"],
        packages: &["libpng", "libpng16", "png"],
        needs: &["zlib"],
        recipe: Recipe::Configure("--disable-hardware-optimizations"),
    },
    Library {
        name: "libxcrypt",
        source: "libxcrypt",
        links: &["crypt"],
        headers: &[],
        packages: &["libcrypt", "libxcrypt"],
        needs: &[],
        recipe: Recipe::Configure("--disable-obsolete-api --disable-werror"),
    },
    Library {
        name: "libxml2",
        source: "libxml2",
        links: &["xml2"],
        headers: &["libxml/", "libxml2/"],
        packages: &["libxml-2.0", "libxml2"],
        needs: &["zlib"],
        recipe: Recipe::Configure("--without-python --without-icu --without-lzma"),
    },
    Library {
        name: "ncurses",
        source: "ncurses",
        links: &[
            "ncurses", "ncursesw", "curses", "tinfo", "tinfow", "form", "formw", "menu", "menuw",
            "panel", "panelw",
        ],
        headers: &["ncurses.h", "curses.h", "term.h", "panel.h", "menu.h", "form.h", "ncurses/"],
        packages: &["ncurses", "ncursesw", "tinfo", "curses"],
        needs: &[],
        recipe: Recipe::Shell(
            "./configure --prefix=\"$PREFIX\" --without-cxx --without-cxx-binding --without-ada \
             --without-manpages --without-tests --without-progs --without-shared --with-normal \
             --without-debug --enable-widec --enable-overwrite --disable-stripping --with-termlib \
             --disable-db-install --with-default-terminfo-dir=/usr/share/terminfo \
             --with-terminfo-dirs=/etc/terminfo:/lib/terminfo:/usr/share/terminfo \
             --enable-pc-files --with-pkg-config-libdir=\"$PREFIX/lib/pkgconfig\" && \
             make libs && make install.libs install.includes && cd \"$DESTDIR$PREFIX\" && \
             for name in ncurses tinfo form menu panel; do \
             ln -sf lib${name}w.a lib/lib$name.a; \
             ln -sf ${name}w.pc lib/pkgconfig/$name.pc; done && \
             ln -sf libncursesw.a lib/libcurses.a && ln -sf . include/ncurses && \
             ln -sf . include/ncursesw",
        ),
    },
    Library {
        name: "openssl",
        source: "openssl",
        links: &["ssl", "crypto"],
        headers: &["openssl/"],
        packages: &["openssl", "libssl", "libcrypto"],
        needs: &[],
        recipe: Recipe::Shell(
            "./Configure linux-x86_64 --prefix=\"$PREFIX\" --libdir=lib --openssldir=/etc/ssl \
             no-asm no-shared no-tests no-dso no-engine no-async && \
             make build_libs && make install_dev",
        ),
    },
    Library {
        name: "pcre2",
        source: "pcre2",
        links: &["pcre2-8", "pcre2-16", "pcre2-32", "pcre2-posix"],
        headers: &["pcre2.h", "pcre2posix.h"],
        packages: &["libpcre2-8", "libpcre2-16", "libpcre2-32", "libpcre2-posix", "pcre2"],
        needs: &[],
        recipe: Recipe::Configure("--enable-pcre2-16 --enable-pcre2-32 --disable-jit"),
    },
    Library {
        name: "pixman",
        source: "pixman",
        links: &["pixman-1"],
        headers: &["pixman.h", "pixman-1/"],
        packages: &["pixman-1"],
        needs: &[],
        recipe: Recipe::Meson(
            "-Dtests=disabled -Dgtk=disabled -Dlibpng=disabled -Dmmx=disabled -Dsse2=disabled \
             -Dssse3=disabled -Dopenmp=disabled",
        ),
    },
    Library {
        name: "readline",
        source: "readline",
        links: &["readline", "history"],
        headers: &["readline/"],
        packages: &["readline"],
        needs: &["ncurses"],
        recipe: Recipe::Configure("--disable-install-examples --with-curses"),
    },
    Library {
        name: "tiff",
        source: "tiff",
        links: &["tiff"],
        headers: &["tiffio.h", "tiff.h"],
        packages: &["libtiff-4", "tiff", "libtiff"],
        needs: &["libjpeg-turbo", "zlib"],
        recipe: Recipe::Configure(
            "--disable-cxx --disable-lzma --disable-zstd --disable-webp --disable-jbig --disable-lerc \
             --disable-libdeflate --disable-tools --disable-tests --disable-contrib --disable-docs",
        ),
    },
    Library {
        name: "zlib",
        source: "zlib",
        links: &["z"],
        headers: &["zlib.h", "zconf.h"],
        packages: &["zlib"],
        needs: &[],
        recipe: Recipe::Shell(
            "./configure --static --prefix=\"$PREFIX\" && make libz.a && make install",
        ),
    },
];

/// The library of this name; the name of the source package does as well.
pub fn find(name: &str) -> Option<&'static Library> {
    KNOWN.iter().find(|library| library.name == name || library.source == name)
}

/// The library that has a header.
pub fn of_header(header: &str) -> Option<&'static Library> {
    let fits =
        |own: &&'static str| *own == header || own.ends_with('/') && header.starts_with(*own);
    KNOWN.iter().find(|library| library.headers.iter().any(fits))
}

/// The library that `-l` calls so.
pub fn of_link(link: &str) -> Option<&'static Library> {
    KNOWN.iter().find(|library| library.links.contains(&link))
}

/// The library that pkg-config or CMake calls so.
pub fn of_package(package: &str) -> Option<&'static Library> {
    // `zlib >= 1.2`, as configure scripts ask for it.
    let package = package.split_whitespace().next().unwrap_or_default();
    KNOWN.iter().find(|library| library.packages.contains(&package))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_libraries() {
        for library in KNOWN {
            assert_eq!(find(library.source), Some(library));
            for need in library.needs {
                assert!(find(need).is_some(), "{} needs {need}", library.name);
            }
        }
        assert!(KNOWN.is_sorted_by_key(|library| library.name));
        let name = |library: Option<&Library>| library.map(|library| library.name);
        assert_eq!(name(of_header("openssl/ssl.h")), Some("openssl"));
        assert_eq!(name(of_header("stdio.h")), None);
        assert_eq!(name(of_link("tinfo")), Some("ncurses"));
        assert_eq!(name(of_package("zlib >= 1.2.8")), Some("zlib"));
    }
}
